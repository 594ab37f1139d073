import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { limits } from "../../src/contract/limits.ts";
import { isObject } from "./fields.ts";
import { atLine, refusedFile } from "./import-fault.ts";
import { linesOf, type Source } from "./read-source.ts";
import { allRecords } from "./records/app.ts";
import { faultsOf, formatVersion, type Line, parseLine } from "./records/record.ts";
import type { RecordKind } from "./records/record-kinds.ts";

/** What a file holds, as its lines say. */
export interface CheckedExport {
  /** How many records of each kind. */
  readonly records: Readonly<Record<string, number>>;
  /** Whether the bytes of uploads are in the file. */
  readonly withFiles: boolean;
}

/** The kinds of records that an import stores, by the word in `type`. */
export const kindsByType: ReadonlyMap<string, RecordKind> = new Map(
  allRecords.map((kind) => [kind.type, kind]),
);

/**
 * Reads all lines and checks each by itself, before anything is stored. Throws `bad_request` with all faults, up to a number of
 * them, each with its line.
 */
export async function checkLines(
  source: Source,
  { mostBytes, signal }: { readonly mostBytes: number; readonly signal: AbortSignal },
): Promise<CheckedExport> {
  const state = newState(source);
  for await (const { number, bytes } of linesOf(source.lines)) {
    signal.throwIfAborted();
    if (state.ended) throw refusedFile([atLine(number, "comes after the last line.")]);
    const line = isUtf8(bytes) ? parseLine(bytes.toString()) : "is not UTF-8";
    const faults = typeof line === "string" ? [line] : checkLine(state, line, number);
    state.faults.push(...faults.map((fault) => atLine(number, fault)));
    if (state.faults.length >= limits.namedFaults) break;
    if (!state.ended) state.hash.update(bytes).update("\n");
  }
  if (state.faults.length > 0) throw refusedFile(state.faults);
  if (!state.ended) throw refusedFile(["its last line is missing. It is cut off: download it again."]);
  if (state.uploadedBytes > mostBytes)
    throw refusedFile([`its files have ${state.uploadedBytes} bytes. An app may have ${mostBytes}.`]);
  return { records: state.records, withFiles: source.filesAt !== undefined };
}

interface State {
  readonly inArchive: boolean;
  readonly hash: ReturnType<typeof createHash>;
  readonly records: Record<string, number>;
  readonly faults: string[];
  uploadedBytes: number;
  ended: boolean;
}

const newState = ({ filesAt }: Source): State => ({
  inArchive: filesAt !== undefined,
  hash: createHash("sha256"),
  records: {},
  faults: [],
  uploadedBytes: 0,
  ended: false,
});

function checkLine(state: State, line: Line, number: number): string[] {
  const type = String(line.type);
  if (number === 1) return checkHeader(state, line);
  if (type === "end") return checkEnd(state, line);
  if ((number === 2) !== (type === "app")) return ["must be of type app exactly as the second line"];
  state.records[type] = (state.records[type] ?? 0) + 1;
  if (type === "member") return checkMember(line);
  const kind = kindsByType.get(type);
  if (!kind) return [`is of the unknown type ${JSON.stringify(type.slice(0, 50))}`];
  const faults = faultsOf(kind, line);
  if (kind.table === "uploads" && faults.length === 0) state.uploadedBytes += Number(line.size);
  return faults;
}

/** A file of a later format is refused as a whole: what is new in it would be lost. */
function checkHeader({ inArchive }: State, line: Line): string[] {
  if (line.type !== "export") return ["must be the head of an export"];
  if (line.format !== formatVersion)
    return [
      `has the format ${JSON.stringify(line.format ?? null).slice(0, 50)}, and this server reads ${formatVersion}. A newer server wrote the file: import it there`,
    ];
  if (line.files === inArchive) return [];
  return [
    inArchive ? "says that the export has no files" : "says that the files are in an archive: import that",
  ];
}

/** Members are shown to the person who imports, and not stored. */
const checkMember = ({ email, role, createdAt }: Line): string[] =>
  [email, role, createdAt].every((value) => typeof value === "string" && value.length <= 600)
    ? []
    : ["must have email, role and createdAt"];

function checkEnd(state: State, { records, sha256 }: Line): string[] {
  state.ended = true;
  const told = isObject(records) ? records : {};
  const names = new Set([...Object.keys(told), ...Object.keys(state.records)]);
  const wrong = [...names].find((name) => told[name] !== state.records[name]);
  if (wrong !== undefined)
    return [
      `counts ${String(told[wrong] ?? 0)} records of the type ${wrong.slice(0, 50)}, and the file has ${state.records[wrong] ?? 0}`,
    ];
  return sha256 === state.hash.digest("hex")
    ? []
    : ["has another hash than the lines before: they were changed"];
}
