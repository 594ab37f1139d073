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
 * The short texts of a report, in the order in which they are shown. The fields of requests, answers, rows of
 * the database, pages, flags and tools come from this list. CONTRIBUTING.md lists the other steps for a new
 * text.
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
