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

/**
 * The short texts of a report, in display order. Fields, columns, pages, flags and tools come from this list.
 * CONTRIBUTING.md lists the other steps for a new text.
 */
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

// The address of a sender's page contains a token of 50 characters. The token begins with the id of the report,
// a UUID of version 7. The patterns check the first bits (0 until the year 2109), version and variant of the
// UUID, so links of other sites are kept.
const ownToken = idPattern("[\\w-]");

// Some programs that check links write `_` as `-5F` and `-` as `-2D`.
const changedToken = idPattern("(?:-5F|-2D|[\\w-])");

function idPattern(one: string): string {
  return `(?=A${one}{7}[c-f]${one}[CGKOSWaeimquy26-])`;
}

// Matches a link to a sender's page, even if it is cut or encoded inside another address. Programs that check
// links in mails encode them.
const slash = "(?:/|%(?:25){0,3}2[Ff])";
const link = new RegExp(
  `(${slash}[Pp]${slash}[Tt]${slash})${ownToken}[\\w-]{20,}|(_[Pp]_[Tt]_)${changedToken}[\\w-]{50,}`,
  "g",
);

/**
 * Removes the tokens from links to sender's pages. Mail programs quote these links, and the members who read
 * the thread must not get the tokens. (rule M8)
 */
export const withoutSenderLinks = (text: string): string => text.replace(link, "$1$2…");
