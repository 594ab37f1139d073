import { limits } from "./limits.ts";

/** One of the short texts that a report may have in addition to its message. */
interface ReportText {
  /** The name that pages and commands show. */
  readonly label: string;
  /** The maximum number of characters that are stored. A longer text is cut. */
  readonly longest: number;
  /** The flag of `feedback send`: the name of its value, and its description in the help. */
  readonly flag: readonly [value: string, help: string];
}

/** The short texts of a report, in display order. CONTRIBUTING.md lists the other steps for a new text. */
const texts = {
  source: {
    label: "Source",
    longest: limits.source,
    flag: ["label", "where the feedback comes from, such as `ci`"],
  },
} satisfies Record<string, ReportText>;

export type ReportTextName = keyof typeof texts;

/** The stored short texts of a report. Null for each text that the report does not have. */
export type ReportTexts = Readonly<Record<ReportTextName, string | null>>;

/** Returns an object with a value for each short text of a report. */
export const eachReportText = <Value>(
  make: (name: ReportTextName, text: ReportText) => Value,
): Record<ReportTextName, Value> => ({
  source: make("source", texts.source),
});

/** The names of the short texts of a report with their descriptions, in the order in which they are shown. */
export const reportTexts: readonly (ReportText & { readonly name: ReportTextName })[] = Object.values(
  eachReportText((name, text) => ({ name, ...text })),
);

// A token begins with a UUID of version 7. Links without the fixed bits of this UUID stay unchanged.
const ownToken = idPattern("[\\w-]");

// Some programs that check links write `_` as `-5F` and `-` as `-2D`.
const changedToken = idPattern("(?:-5F|-2D|[\\w-])");

function idPattern(one: string): string {
  // The first bits of the UUID are 0 until the year 2109.
  return `(?=A${one}{7}[c-f]${one}[CGKOSWaeimquy26-])`;
}

// Matches a link to a sender's page, also if the link is cut. Programs that check links may encode the link.
const slash = "(?:/|%(?:25){0,3}2[Ff])";
const link = new RegExp(
  `(${slash}[Pp]${slash}[Tt]${slash})${ownToken}[\\w-]{20,}|(_[Pp]_[Tt]_)${changedToken}[\\w-]{50,}`,
  "g",
);

/**
 * Removes the tokens from links to sender's pages. Members must not get the tokens from quoted mails. (rule M8)
 */
export const withoutSenderLinks = (text: string): string => text.replace(link, "$1$2…");
