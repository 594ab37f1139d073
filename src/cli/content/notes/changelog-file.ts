import { plainVersion } from "../../../contract/version.ts";
import { typeOfHeading } from "./change-type.ts";
import { dateIn } from "./dates.ts";
import { type Block, depthOf, insideOf, plainText, readMarkdown, startsBold } from "./markdown.ts";
import { type Notes, notesOf } from "./release-notes.ts";
import { readVersionHeading, type VersionHeading } from "./version-heading.ts";

/** One version of a file, with the line of its heading. */
export interface FileRelease extends VersionHeading {
  readonly line: number;
  readonly notes: Notes;
}

/** A changelog as a file has it. */
export interface ChangelogFile {
  /** In the order of the file. */
  readonly releases: readonly FileRelease[];
  /** What was left out, for the reader: parts of the file that belong to no version. */
  readonly ignored: readonly string[];
  /** Why the file cannot be used. */
  readonly faults: readonly Fault[];
}

/** A fault in a file, with its line. */
export interface Fault {
  readonly line: number;
  readonly message: string;
}

/** Reads a changelog in Markdown, of any usual form. */
export function readChangelogFile(source: string): ChangelogFile {
  const text = readMarkdown(source);
  const { parts, ignored } = partsOf(text.blocks);
  const releases = parts.map(({ heading, line, blocks }) => ({
    ...heading,
    line,
    notes: notesOf(text, blocks),
  }));
  return { releases, ignored, faults: faultsOf(releases) };
}

/** The notes of one version, without headings of versions. */
export function readNotes(source: string): Notes {
  const text = readMarkdown(source);
  return notesOf(text, text.blocks);
}

/** A heading of a version and what stands below it. */
interface Part {
  readonly heading: VersionHeading;
  readonly depth: number;
  readonly line: number;
  readonly blocks: readonly Block[];
}

interface Parts {
  readonly parts: readonly Part[];
  readonly ignored: readonly string[];
}

function partsOf(blocks: readonly Block[]): Parts {
  const parts: (Part & { readonly blocks: Block[] })[] = [];
  const ignored: string[] = [];
  /** Whether the blocks that follow belong to no version. */
  let isOutside = true;
  for (const block of blocks) {
    const last = parts.at(-1);
    const line = block.from + 1;
    const heading = versionHeadingIn(block, last);
    const day = isOutside ? null : dayBelow(block, last);
    if (last && day !== null) parts[parts.length - 1] = { ...last, heading: { ...last.heading, day } };
    else if (heading) {
      parts.push({ heading, depth: headingDepth(block), line, blocks: [] });
      isOutside = false;
    } else if (endsPart(block, last)) {
      ignored.push(`line ${line}: what stands under “${plainText(block)}”`);
      isOutside = true;
    } else if (!isOutside) last?.blocks.push(block);
  }
  return { parts, ignored };
}

/** The day of a quotation below a heading without one, as auto-changelog writes it. */
function dayBelow(block: Block, last: Part | undefined): string | null {
  if (block.type !== "blockquote" || last?.blocks.length !== 0 || last.heading.day !== null) return null;
  const [paragraph, ...others] = insideOf(block);
  const text = paragraph && others.length === 0 ? plainText(paragraph) : "";
  const date = dateIn(text);
  return date?.text === text ? date.day : null;
}

/** The version of a heading. Inside the notes of a version, a deeper heading must say nothing else. */
function versionHeadingIn(block: Block, last: Part | undefined): VersionHeading | undefined {
  if (block.type !== "heading" && !startsBold(block)) return undefined;
  const heading = readVersionHeading(plainText(block));
  if (!heading || (block.type !== "heading" && !isPlain(heading))) return undefined;
  const isDeeper = last !== undefined && headingDepth(block) > last.depth;
  return isDeeper && (heading.name !== "" || heading.version === null) ? undefined : heading;
}

/** Whether a heading has a version such as `1.2.0`, and no other words than a date. */
const isPlain = ({ version, name }: VersionHeading): boolean =>
  version?.includes(".") === true && name === "";

/** A bold paragraph counts as the deepest heading. */
const headingDepth = (block: Block): number => (block.type === "heading" ? depthOf(block) : 7);

/** Whether a heading beside that of the last version begins something else, such as a licence. */
const endsPart = (block: Block, last: Part | undefined): boolean =>
  block.type === "heading" &&
  last !== undefined &&
  depthOf(block) <= last.depth &&
  typeOfHeading(plainText(block)) === undefined;

function faultsOf(releases: readonly FileRelease[]): Fault[] {
  const first = new Map<string | null, number>();
  const repeated = releases.flatMap(({ version, line }) => {
    const key = version === null ? null : plainVersion(version);
    const before = first.get(key);
    if (before === undefined) {
      first.set(key, line);
      return [];
    }
    const name = version ?? "Unreleased";
    return [{ line, message: `is a second heading of ${name}; the first is in line ${before}` }];
  });
  const unclear = releases.flatMap(({ unclearDate, line }) =>
    unclearDate === null
      ? []
      : [{ line, message: `has the date ${unclearDate}, which is not clear: write 2026-11-22` }],
  );
  return [...repeated, ...unclear].sort((a, b) => a.line - b.line);
}
