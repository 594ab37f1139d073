import { readNotes } from "./changelog-file.lazy.ts";
import type { Notes } from "./release-notes.ts";

export interface ChangesetFile {
  readonly name: string;
  readonly text: string;
}

/** The changes of all changesets, which will be part of the next version. */
export interface PendingChanges {
  readonly notes: Notes;
  /** The size of the largest change. Undefined if there are no changes. */
  readonly releaseType: Size | undefined;
  /** The files that cannot be read, and why. */
  readonly faults: readonly { readonly name: string; readonly message: string }[];
}

const sizes = ["major", "minor", "patch"] as const;
type Size = (typeof sizes)[number];

/**
 * Reads the files of `.changeset`. Omits a file without a package name, because such a file describes no
 * change.
 */
export function readChangesets(files: readonly ChangesetFile[]): PendingChanges {
  const read = files.map((file) => ({ ...readChangeset(file), name: file.name }));
  const parts = sizes.flatMap((size) => {
    const summaries = read.filter((change) => change.size === size).map(({ summary }) => asListItem(summary));
    return summaries.length === 0 ? [] : [`### ${titles[size]}\n\n${summaries.join("\n")}`];
  });
  return {
    notes: readNotes(parts.join("\n\n")),
    releaseType: sizes.find((size) => read.some((change) => change.size === size)),
    faults: read.flatMap(({ name, fault }) => (fault === undefined ? [] : [{ name, message: fault }])),
  };
}

const titles: Readonly<Record<Size, string>> = {
  major: "Major changes",
  minor: "Minor changes",
  patch: "Patch changes",
};

/** How many characters of a front matter line are read. The rest is ignored. */
const longestLine = 1_000;

const sizeIn = (line: string): string | undefined =>
  /^(["']?)[^"':]+\1\s*:\s*["']?(\w+)["']?$/.exec(line)?.[2];

interface Changeset {
  readonly size?: Size;
  readonly summary: string;
  readonly fault?: string;
}

function readChangeset({ text }: ChangesetFile): Changeset {
  const source = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const [, head, summary = ""] =
    /^\s*---\n([\s\S]*?)(?:(?<=\n)|\n)---[ \t]*(?:\n([\s\S]*))?$/.exec(source) ?? [];
  if (head === undefined) return { summary: "", fault: "has no front matter between two lines of ---" };
  const all = head.split("\n").map((line) => line.trim());
  const lines = all.filter((line) => line !== "" && !line.startsWith("#"));
  const found = lines.map((line) => sizeIn(line.slice(0, longestLine)));
  const wrong = lines.find((_, at) => !["major", "minor", "patch", "none"].includes(found[at] ?? ""));
  if (wrong !== undefined)
    return {
      summary: "",
      fault: `has a line without a valid size (major, minor, patch or none): ${wrong.slice(0, longestLine)}`,
    };
  const size = sizes.find((one) => found.includes(one));
  return { summary: summary.trim(), ...(size && { size }) };
}

/** Returns a text as one Markdown list item. Further lines are indented, so that they belong to the item. */
const asListItem = (text: string): string => `- ${text.replace(/\n(?=[^\n])/g, "\n  ")}`;
