import { isUtf8 } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { ApiError } from "../../src/contract/errors.ts";
import { receivedFile } from "../../src/contract/files.ts";
import { isNestedDeeperThan, isObject } from "../../src/contract/json.ts";
import { limits } from "../../src/contract/limits.ts";
import { countOf } from "../../src/words/phrases.ts";
import type { Table } from "../backup/store.ts";
import type { Transaction } from "../database/database.ts";
import { isConflict, isDangling } from "../database/errors.ts";
import type { Deps } from "../deps.ts";
import { blockSize, paddingOf, readTarHeader } from "../files/tar.ts";
import { filesFolder, linesName } from "./export.ts";
import type { Naming } from "./fields.ts";
import { allRecords } from "./records/all.ts";
import {
  faultsOf,
  formatVersion,
  type Line,
  type RecordKind,
  rowOf,
  type StoredRow,
} from "./records/record.ts";
import { imports, type RunPosition, tableOf, tablesByName } from "./store.ts";

type ImportDeps = Pick<Deps, "clock" | "database" | "files" | "keptFiles" | "newId"> & {
  readonly settings: Pick<Deps["settings"], "storedBytesPerApp"> & {
    /** The base address of this server. Without it, pictures keep the base address of the old server. */
    readonly baseUrl: string | undefined;
  };
  readonly log: Warns;
};

type Warns = Pick<Deps["log"], "warn">;

interface WantedImport {
  /** The path of the file. */
  readonly path: string;
  /** The account that becomes the only owner. */
  readonly ownerId: string;
  /** The name of the new app. If undefined, the app gets the name in the file. */
  readonly name: string | undefined;
  readonly signal: AbortSignal;
}

interface ImportedApp {
  readonly appId: string;
  /** The number of records of each kind in the file. */
  readonly records: Readonly<Record<string, number>>;
  readonly files: number;
  /** The number of uploads that were not imported, because the file does not contain their bytes. */
  readonly filesLeftOut: number;
}

/** Makes the app visible. It must run in the transaction that stores the answer and the audit entry. */
type Finish = (tx: Transaction) => Promise<void>;

/**
 * Imports an export as a new app. Nobody sees the app before `finish`. Throws `bad_request` with the faults.
 * (rule X5)
 */
export async function importApp<Result>(
  deps: ImportDeps,
  wanted: WantedImport,
  commit: (imported: ImportedApp, finish: Finish) => Promise<Result>,
): Promise<Result> {
  await discardAbandoned(deps);
  const file = await open(wanted.path);
  try {
    return await importFrom(deps, await openSource(file), { wanted, commit });
  } finally {
    await file.close();
  }
}

interface Order<Result> {
  readonly wanted: WantedImport;
  readonly commit: (imported: ImportedApp, finish: Finish) => Promise<Result>;
}

async function importFrom<Result>(
  deps: ImportDeps,
  source: Source,
  { wanted, commit }: Order<Result>,
): Promise<Result> {
  const { ownerId, name, signal } = wanted;
  const { records, withFiles } = await checkLines(source, {
    mostBytes: deps.settings.storedBytesPerApp,
    signal,
  });
  const appId = deps.newId();
  const naming: Naming = {
    ...newNames(deps.settings.baseUrl),
    ...{ now: deps.clock.now().toISOString(), ownerId, withFiles },
  };
  const staging: Staging = { deps, source, naming, appId, name, signal };
  let done = false;
  try {
    await stageLines(staging);
    if (await imports.hasWrongMerges(deps.database, appId))
      throw refusedFile(["the merges of its threads contradict each other."]);
    if (await imports.hasTooManyMerges(deps.database, appId))
      throw refusedFile([`more than ${limits.mergedThreads} of its threads are merged into one thread.`]);
    if (await imports.hasTooDeepMerges(deps.database, appId))
      throw refusedFile([`more than ${limits.mergeDepth} merges of its threads follow each other.`]);
    const files = await stageFiles(staging);
    await settle(staging);
    const uploads = (records.upload ?? 0) + (records.proofImage ?? 0) + (records.picture ?? 0);
    const result = await commit(
      { appId, records, files, filesLeftOut: withFiles ? 0 : uploads },
      async (tx) => {
        if (!(await imports.finish(tx, { appId, ownerId, at: naming.now }))) throw importStopped();
      },
    );
    done = true;
    return result;
  } finally {
    if (!done)
      await discard(deps, appId).catch((error) =>
        deps.log.warn({ err: error }, "an import left rows that are not deleted"),
      );
  }
}

async function settle(staging: Staging): Promise<void> {
  const { deps, appId, naming, signal } = staging;
  for (let after: RunPosition | undefined = { createdAt: "", id: "" }; after; ) {
    signal.throwIfAborted();
    const last: RunPosition = after;
    after = await deps.database.write(async (tx) => {
      await keepImportAlive(staging, tx);
      return imports.settle(tx, { appId, after: last, now: naming.now });
    });
  }
}

/** If an import has stored nothing for this time, its server must have crashed. */
const silentMilliseconds = 600_000;

/** The error for a running import that stored nothing for so long that its rows were deleted. */
const importStopped = () =>
  new ApiError("busy", {
    message: "The import was stopped, because it took too long. Nothing was imported. Import the file again.",
    retryAfterSeconds: 30,
  });

/** Deletes the rows and files of imports that ended because the server crashed. (rule X5) */
export async function discardAbandoned(
  deps: Pick<Deps, "clock" | "database" | "keptFiles"> & { readonly log: Warns },
  stopping?: AbortSignal,
): Promise<void> {
  const before = new Date(deps.clock.now().getTime() - silentMilliseconds).toISOString();
  for (const appId of await imports.abandoned(deps.database, before)) await discard(deps, appId, stopping);
}

async function discard(
  { database, keptFiles, log }: Pick<Deps, "database" | "keptFiles"> & { readonly log: Warns },
  appId: string,
  stopping?: AbortSignal,
): Promise<void> {
  for (let more = true; more && !stopping?.aborted; ) {
    const part = await database.write((tx) => imports.discard(tx, appId));
    keptFiles.removeLater(part.hashes, (error) =>
      log.warn({ err: error }, "unused files could not be deleted"),
    );
    more = part.more;
  }
}

/**
 * Stores an archive's files without their metadata. Returns their number. Throws `bad_request` if a file does
 * not fit its record. (rule X8)
 */
async function stageFiles(staging: Staging): Promise<number> {
  const { deps, source, appId, naming } = staging;
  const named = naming.withFiles ? await imports.countFiles(deps.database, appId) : 0;
  let files = 0;
  for await (const archived of filesOf(source)) {
    staging.signal.throwIfAborted();
    await keep(staging, archived);
    files++;
  }
  if (named !== files)
    throw refusedFile([`its records name ${countOf(named, "file")}, but the archive contains ${files}.`]);
  return files;
}

async function keep(staging: Staging, { sha256, bytes }: ArchivedFile): Promise<void> {
  const { deps, appId } = staging;
  const fail = (fault: string) => refusedFile([`the file ${sha256} ${fault}.`]);
  if (!(await imports.isRunning(deps.database, appId))) throw importStopped();
  const [named, other] = await imports.uploadsOf(deps.database, appId, sha256);
  if (!named) throw fail("is not named by a record");
  if (other || named.size !== bytes.size)
    throw fail("does not have the size or the type that its record says");
  const draft = deps.files.createTemporary(bytes.size);
  try {
    const hash = createHash("sha256");
    for await (const chunk of chunksOf(bytes)) {
      hash.update(chunk);
      draft.write(chunk);
    }
    if (hash.digest("hex") !== sha256) throw fail("differs from the hash in its name");
    const written = await draft.finish();
    if (written.detectedType !== named.mediaType) throw fail(`is not of the type ${named.mediaType}`);
    const file = receivedFile({ ...written, declaredType: null, name: null, fault: null });
    await deps.keptFiles.keepFor([file], () =>
      deps.database.write(async (tx) => {
        await deps.keptFiles.secure(tx, [file]);
        if (file.sha256 !== sha256) await imports.rename(tx, { appId, sha256, into: file.sha256 });
        await keepImportAlive(staging, tx);
      }),
    );
  } finally {
    draft.drop();
  }
}

interface Staging {
  readonly deps: Pick<Deps, "clock" | "database" | "files" | "keptFiles">;
  readonly source: Source;
  readonly naming: Naming;
  readonly appId: string;
  /** The name of the new app. If undefined, the app gets the name in the file. */
  readonly name: string | undefined;
  readonly signal: AbortSignal;
}

interface StagedRow {
  readonly number: number;
  readonly kind: RecordKind;
  readonly row: StoredRow;
}

const rowsAtOnce = 500;

const bytesAtOnce = 1_048_576;

/**
 * Stores the records in small transactions. Throws `bad_request` if a record occurs twice or refers to a
 * missing record.
 */
async function stageLines(staging: Staging): Promise<void> {
  const tables = await tablesByName(staging.deps.database);
  let waiting: StagedRow[] = [];
  let bytes = 0;
  const flush = async () => {
    staging.signal.throwIfAborted();
    if (waiting.length > 0) await storeRows(staging, tables, waiting);
    waiting = [];
    bytes = 0;
  };
  for await (const line of linesOf(staging.source.lines)) {
    const record = recordOf(staging, parseLine(line.bytes.toString()));
    if (!record) continue;
    waiting.push({ number: line.number, ...record });
    bytes += line.bytes.length;
    if (record.kind.type === "app" || waiting.length >= rowsAtOnce || bytes >= bytesAtOnce) await flush();
  }
  await flush();
}

/** Returns the row for a line. Returns undefined if the line is not stored. */
function recordOf({ naming, appId, name }: Staging, line: ReturnType<typeof parseLine>) {
  if (typeof line === "string") return undefined;
  const kind = kindsByType.get(String(line.type));
  if (!kind || (kind.table === "uploads" && !naming.withFiles)) return undefined;
  const row = rowOf(kind, line, { ...naming, appId });
  return { kind, row: kind.type === "app" && name !== undefined ? { ...row, name } : row };
}

type Tables = ReadonlyMap<string, Table>;

async function storeRows(staging: Staging, tables: Tables, rows: readonly StagedRow[]): Promise<void> {
  const { database } = staging.deps;
  try {
    await database.write(async (tx) => {
      const begins = rows.some(({ kind }) => kind.type === "app");
      // If the rows of the import were deleted, the new rows would refer to missing rows. So this check comes
      // first.
      if (!begins) await keepImportAlive(staging, tx);
      for (const kind of allRecords) {
        const ofKind = rows.filter((row) => row.kind === kind).map(({ row }) => row);
        await imports.store(tx, tableOf(tables, kind), ofKind);
      }
      if (begins) await imports.begin(tx, staging.appId, staging.deps.clock.now().toISOString());
    });
  } catch (error) {
    if (!isConflict(error) && !isDangling(error)) throw error;
    throw refusedFile([await faultyLine(staging, tables, rows)]);
  }
}

/**
 * Stores that the import is still running. Throws `busy` if the rows of the import were deleted as abandoned.
 */
async function keepImportAlive({ deps, appId }: Staging, tx: Transaction): Promise<void> {
  const now = deps.clock.now().toISOString();
  if (!(await imports.keepAlive(tx, appId, now))) throw importStopped();
}

/**
 * Finds the row that the database refuses, by storing single rows. Undoes all changes. Returns a text about the
 * row.
 */
async function faultyLine({ deps }: Staging, tables: Tables, rows: readonly StagedRow[]): Promise<string> {
  const ordered = allRecords.flatMap((kind) => rows.filter((row) => row.kind === kind));
  let at: StagedRow | undefined;
  try {
    await deps.database.write(async (tx) => {
      for (const row of ordered) {
        at = row;
        await imports.store(tx, tableOf(tables, row.kind), [row.row]);
      }
      at = undefined;
      throw new Error("No row was refused. This error undoes the transaction.");
    });
  } catch (error) {
    const fault = isDangling(error)
      ? "refers to a record that does not come before it in the file"
      : "occurs twice";
    if (at) return atLine(at.number, `the ${at.kind.type} ${fault}.`);
    throw error;
  }
  throw new Error("The database refused a row once, and accepted it later.");
}

/** What a file contains, according to its lines. */
interface CheckedExport {
  /** The number of records of each kind. */
  readonly records: Readonly<Record<string, number>>;
  /** Whether the file contains the bytes of uploads. */
  readonly withFiles: boolean;
}

/** The kinds of records that an import stores, by the value of `type`. */
const kindsByType: ReadonlyMap<string, RecordKind> = new Map(allRecords.map((kind) => [kind.type, kind]));

/**
 * Checks all lines before anything is stored. Throws `bad_request` with the first faults and their line numbers. (rule
 * X7)
 */
async function checkLines(
  source: Source,
  { mostBytes, signal }: { readonly mostBytes: number; readonly signal: AbortSignal },
): Promise<CheckedExport> {
  const state = newState(source);
  for await (const { number, bytes } of linesOf(source.lines)) {
    signal.throwIfAborted();
    if (state.ended) throw refusedFile([atLine(number, "comes after the end of the export.")]);
    const line = isUtf8(bytes) ? parseLine(bytes.toString()) : "is not UTF-8";
    const faults = typeof line === "string" ? [line] : checkLine(state, line, number);
    state.faults.push(...faults.map((fault) => atLine(number, fault)));
    if (state.faults.length >= limits.namedFaults) break;
    if (!state.ended) state.hash.update(bytes).update("\n");
  }
  if (state.faults.length > 0) throw refusedFile(state.faults);
  if (!state.ended)
    throw refusedFile(["its last line is missing, so the file is incomplete. Download it again."]);
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
  if ((number === 2) !== (type === "app"))
    return ["breaks the rule that the second line, and no other line, has the type app"];
  state.records[type] = (state.records[type] ?? 0) + 1;
  if (type === "member") return checkMember(line);
  const kind = kindsByType.get(type);
  if (!kind) return [`has the unknown type ${JSON.stringify(type.slice(0, 50))}`];
  const faults = faultsOf(kind, line);
  if (kind.table === "uploads" && faults.length === 0) state.uploadedBytes += Number(line.size);
  return faults;
}

/** Checks the first line. A file in a newer format is refused, because data would be lost. */
function checkHeader({ inArchive }: State, line: Line): string[] {
  if (line.type !== "export") return ["must be the first line of an export"];
  if (line.format !== formatVersion) {
    const isNewer = Number.isSafeInteger(line.format) && Number(line.format) > formatVersion;
    const advice = isNewer ? ". A newer server wrote the file, so import it there" : "";
    const found = JSON.stringify(line.format ?? null).slice(0, 50);
    return [`has the format ${found}, but this server reads the format ${formatVersion}${advice}`];
  }
  if (line.files === inArchive) return [];
  return [
    inArchive
      ? "says that the export has no files, but the file is an archive with files"
      : "says that the files are in an archive. Import that archive",
  ];
}

/** Checks a line `member`. Members are not stored. */
const checkMember = ({ email, role, createdAt }: Line): string[] =>
  [email, role, createdAt].every((value) => typeof value === "string" && value.length <= 600)
    ? []
    : ["must have email, role and createdAt"];

function checkEnd(state: State, { records, sha256 }: Line): string[] {
  state.ended = true;
  const counts = isObject(records) ? records : {};
  const names = new Set([...Object.keys(counts), ...Object.keys(state.records)]);
  const wrong = [...names].find((name) => counts[name] !== state.records[name]);
  if (wrong !== undefined)
    return [
      `counts ${String(counts[wrong] ?? 0)} records of the type ${wrong.slice(0, 50)}, but the file has ${state.records[wrong] ?? 0}`,
    ];
  return sha256 === state.hash.digest("hex")
    ? []
    : ["does not match the hash of the lines before it, so those lines were changed"];
}

/** New ids contain a salted hash of the old id. So a file cannot refer to other stored data. */
function newNames(
  baseUrl: string | undefined,
): Pick<Naming, "idOf" | "uploadOf" | "pictureOf" | "addressOf"> {
  const pictures = new Set<string>();
  const salt = randomBytes(32);
  const hashOf = (what: string, old: string) =>
    createHash("sha256").update(salt).update(`${what}:${old}`).digest();
  const uploadOf = (old: string) =>
    hashOf("upload", old).toString("base64url") + (/\.[a-z0-9]+$/.exec(old)?.[0] ?? "");
  return {
    idOf: (old) => {
      const bytes = Buffer.from(old.replaceAll("-", ""), "hex");
      const sixBits = (bytes[10] ?? 0) & 0xfc;
      hashOf("id", old).copy(bytes, 10, 0, 6);
      // A new id keeps the time and the counter of the old id, so that the order of ids does not change.
      bytes[10] = sixBits | ((bytes[10] ?? 0) & 0x03);
      return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    },
    uploadOf,
    pictureOf(old) {
      pictures.add(old);
      return uploadOf(old);
    },
    addressOf({ name, address }) {
      if (!pictures.has(name)) return address;
      const before = baseUrl ?? address.slice(0, address.indexOf("/uploads/"));
      return `${before}/uploads/${uploadOf(name)}`;
    },
  };
}

/** A part of an open file. */
interface Span {
  readonly file: FileHandle;
  readonly at: number;
  readonly size: number;
}

/** An open export. */
interface Source {
  readonly lines: Span;
  /** The position of the first file in the archive. Undefined if the export is not an archive. */
  readonly filesAt: number | undefined;
  /** The size of the whole file in bytes. */
  readonly size: number;
}

/** Finds the lines in the file, or in the first entry of an archive. Throws `bad_request` for other files. */
async function openSource(file: FileHandle): Promise<Source> {
  const { size } = await file.stat();
  const head = await readAt(file, 0, blockSize);
  if (head[0] === 0x7b) return { lines: { file, at: 0, size }, filesAt: undefined, size };
  const first = headerIn(head);
  if (first?.name !== linesName)
    throw refusedFile(["it is not an export of an app. To create an export, use `innkeep export`."]);
  const filesAt = blockSize + first.size + paddingOf(first.size);
  if (filesAt > size) throw refusedFile([cutOff]);
  return { lines: { file, at: blockSize, size: first.size }, filesAt, size };
}

const cutOff = "it is incomplete. Download it again.";

function headerIn(block: Buffer): { readonly name: string; readonly size: number } | undefined {
  try {
    return readTarHeader(block);
  } catch {
    return undefined;
  }
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

const chunkBytes = 262_144;

/** Yields the bytes of a span. Throws `bad_request` if the file ends before the span. */
async function* chunksOf({ file, at, size }: Span): AsyncGenerator<Buffer> {
  for (let done = 0; done < size; ) {
    const chunk = await readAt(file, at + done, Math.min(chunkBytes, size - done));
    if (chunk.length === 0) throw refusedFile([cutOff]);
    done += chunk.length;
    yield chunk;
  }
}

/** A line without its line feed. */
interface NumberedLine {
  readonly number: number;
  readonly bytes: Buffer;
}

const lineFeed = 0x0a;

/** Yields the lines. Throws `bad_request` for a line that is too long or has no line feed. */
async function* linesOf(span: Span): AsyncGenerator<NumberedLine> {
  let number = 1;
  let begun: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(span)) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      const piece = chunk.subarray(from, end);
      yield { number, bytes: begun.length === 0 ? piece : Buffer.concat([...begun, piece]) };
      begun = [];
      length = 0;
      number++;
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > mostLineBytes) throw refusedFile([atLine(number, `has more than ${mostLineBytes} bytes.`)]);
    if (rest.length > 0) begun.push(rest);
  }
  if (length > 0)
    throw refusedFile([atLine(number, "has no end, so the file is incomplete. Download it again.")]);
}

/** A file in an archive. Its name contains its hash. */
interface ArchivedFile {
  readonly sha256: string;
  readonly bytes: Span;
}

/**
 * Yields the files of an archive. Throws `bad_request` if a name is not a hash, if the hashes are not
 * ascending, or if the archive is incomplete or too long.
 */
async function* filesOf({ lines: { file }, filesAt, size }: Source): AsyncGenerator<ArchivedFile> {
  if (filesAt === undefined) return;
  let last = "";
  for (let at = filesAt; ; ) {
    const block = await readAt(file, at, blockSize);
    if (block.length < blockSize) throw refusedFile([cutOff]);
    if (block.every((byte) => byte === 0)) {
      if (size === at + 2 * blockSize && (await readAt(file, at + blockSize, blockSize)).every(isZero))
        return;
      throw refusedFile(["the archive contains bytes after its end."]);
    }
    const header = headerIn(block);
    const sha256 = hashIn(header?.name);
    if (!header || sha256 === undefined)
      throw refusedFile([`the archive has an entry at byte ${at} that is not from an export.`]);
    if (sha256 <= last)
      throw refusedFile([`the file ${sha256} occurs twice in the archive or is not in order.`]);
    if (at + blockSize + header.size > size) throw refusedFile([cutOff]);
    yield { sha256, bytes: { file, at: at + blockSize, size: header.size } };
    last = sha256;
    at += blockSize + header.size + paddingOf(header.size);
  }
}

const isZero = (byte: number): boolean => byte === 0;

const hashIn = (name = ""): string | undefined =>
  name.startsWith(filesFolder) ? /^[\da-f]{64}$/.exec(name.slice(filesFolder.length))?.[0] : undefined;

/** Creates the error for a refused file. The error contains the first 20 faults. */
const refusedFile = (faults: readonly string[]): ApiError =>
  new ApiError("bad_request", {
    message: `The file cannot be imported: ${faults[0] ?? "it is malformed."} Nothing was changed.`,
    issues: faults.slice(0, limits.namedFaults).map((message) => ({ path: "file", message })),
  });

/** Adds the number of the line to a fault. */
const atLine = (number: number, fault: string): string => `line ${number}: ${fault}`;

/** The maximum number of bytes in a line. The longest possible record, a release note, has fewer. */
const mostLineBytes = 8 * 1_048_576;

/** The maximum number of nested levels in a line. Metadata needs five levels. */
const deepest = 16;

function parseLine(text: string): Line | string {
  if (isNestedDeeperThan(text, deepest)) return `is nested deeper than ${deepest} levels`;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : "must be a JSON object";
  } catch {
    return "is not JSON";
  }
}
