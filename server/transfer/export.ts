import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { members } from "../access/members/store.ts";
import type { Reader } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import type { Files, TemporaryFile } from "../files/files.ts";
import { blockSize, paddingOf, tarHeader } from "../files/tar.ts";
import { serverVersion } from "../version.ts";
import { personRecord, rootRecords } from "./records/all.ts";
import { formatVersion, lineOf, type RecordKind } from "./records/record.ts";
import { exported, exportedRows } from "./store.ts";

/** The name of the archive entry that contains the lines of the export. */
export const linesName = "export.ndjson";

/** The beginning of the names of the archive entries that contain files. */
export const filesFolder = "files/";

/** Yields an archive of an export. Throws an Error if a file was deleted after the export was written. */
export async function* tarOf(
  { lines, list }: WrittenExport,
  files: Pick<Files, "open">,
): AsyncGenerator<Uint8Array> {
  yield* entry(linesName, lines.size, createReadStream(lines.path));
  for await (const line of createInterface({ input: createReadStream(list.path) })) {
    const [sha256 = "", size = ""] = line.split(" ");
    yield* entry(`${filesFolder}${sha256}`, Number(size), await files.open(sha256));
  }
  yield Buffer.alloc(2 * blockSize);
}

async function* entry(name: string, size: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  yield tarHeader(name, size);
  let sent = 0;
  for await (const chunk of chunks) {
    sent += chunk.length;
    yield chunk;
  }
  if (sent !== size) throw new Error(`${name} has ${sent} bytes, not ${size}`);
  yield Buffer.alloc(paddingOf(size));
}

interface Wanted {
  readonly appId: string;
  /** Whether the export also contains the bytes of the files. */
  readonly withFiles: boolean;
  /** A signal that stops the export. */
  readonly signal: AbortSignal;
}

/** An export in temporary files. The caller deletes them. */
export interface WrittenExport {
  readonly lines: { readonly path: string; readonly size: number };
  /** A list of the files of the app, sorted by hash. Each line has the form `hash size`. */
  readonly list: { readonly path: string; readonly size: number };
}

type ExportDeps = Pick<Deps, "clock" | "database" | "files">;

/**
 * Writes an export to temporary files: a slow client must not keep the snapshot of the database open. (rule X2)
 */
export async function writeExport(deps: ExportDeps, wanted: Wanted): Promise<WrittenExport> {
  const lines = deps.files.createTemporary(Number.POSITIVE_INFINITY);
  const list = deps.files.createTemporary(Number.POSITIVE_INFINITY);
  try {
    await deps.database.snapshot(async (reader) => {
      const writer = createWriter(lines);
      const hidden = await exported.hiddenUploads(reader, wanted.appId);
      await writeRecords({ deps, wanted, reader, writer, hidden });
      if (wanted.withFiles) await writeList({ deps, wanted, reader, hidden }, list);
    });
    return { lines: await lines.finishUnchanged(), list: await list.finishUnchanged() };
  } catch (error) {
    lines.drop();
    list.drop();
    throw error;
  }
}

interface Writing {
  readonly deps: ExportDeps;
  readonly wanted: Wanted;
  readonly reader: Reader;
  readonly writer: Writer;
  /** The names of the uploads in hidden messages of blocked senders. */
  readonly hidden: ReadonlySet<string>;
}

/** Writes all lines: the header, the app, its members, its records, the people, and the last line. (rule X3) */
async function writeRecords(writing: Writing): Promise<void> {
  const { deps, wanted, reader, writer } = writing;
  const people = new Set<string>();
  let missing = 0;
  writer.write({
    type: "export",
    format: formatVersion,
    appId: wanted.appId,
    server: serverVersion ?? null,
    exportedAt: deps.clock.now().toISOString(),
    files: wanted.withFiles,
  });
  for (const kind of rootRecords) {
    missing += await writeKind(writing, { kind, parents: [wanted.appId], people });
    if (kind.type === "app") await writeMembers(writing);
  }
  const ids = [...people];
  for (let at = 0; at < ids.length; at += atOnce)
    for (const person of await exported.people(reader, ids.slice(at, at + atOnce)))
      writer.write({ type: personRecord.type, ...person });
  writer.end(missing);
}

const atOnce = 200;

async function writeMembers({ reader, wanted, writer }: Writing): Promise<void> {
  for (const { email, name, role, createdAt } of await members.list(reader, wanted.appId))
    writer.write({ type: "member", email, ...(name === null ? {} : { name }), role, createdAt });
}

/** Writes the records of one kind and their child records. Returns the number of missing files. */
async function writeKind(
  writing: Writing,
  {
    kind,
    parents,
    people,
  }: {
    readonly kind: RecordKind;
    readonly parents: readonly string[];
    /** Collects the ids of the people to whom the records refer. */
    readonly people: Set<string>;
  },
): Promise<number> {
  let missing = 0;
  for await (const rows of exportedRows(writing.reader, kind, parents)) {
    writing.wanted.signal.throwIfAborted();
    for (const row of rows) {
      if (kind.table === "uploads" && writing.hidden.has(String(row.name))) continue;
      if (kind.table === "uploads" && !(await isExported(writing, row))) {
        missing++;
        continue;
      }
      for (const column of kind.people ?? []) if (row[column]) people.add(String(row[column]));
      writing.writer.write(lineOf(kind, row));
    }
    const ids = rows.map(({ id }) => String(id));
    for (const below of kind.below ?? [])
      missing += await writeKind(writing, { kind: below, parents: ids, people });
  }
  return missing;
}

/** Whether the export contains the record of an upload. An export with files omits records of missing files. */
async function isExported(
  { deps, wanted }: Pick<Writing, "deps" | "wanted">,
  { sha256, size }: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  return !wanted.withFiles || (await deps.files.size(String(sha256))) === size;
}

async function writeList(
  { deps, wanted, reader, hidden }: Omit<Writing, "writer">,
  list: TemporaryFile,
): Promise<void> {
  for await (const page of exported.files(reader, wanted.appId, hidden)) {
    wanted.signal.throwIfAborted();
    for (const file of page)
      if (await isExported({ deps, wanted }, { ...file }))
        list.write(Buffer.from(`${file.sha256} ${file.size}\n`));
  }
}

interface Writer {
  write(line: Readonly<Record<string, unknown>>): void;
  /** Writes the last line: counts of records and missing files, and the hash of all lines before it. */
  end(missingFiles: number): void;
}

const blockBytes = 65_536;

function createWriter(file: TemporaryFile): Writer {
  const hash = createHash("sha256");
  const records: Record<string, number> = {};
  let waiting: string[] = [];
  let length = 0;
  const flush = () => {
    const block = Buffer.from(waiting.join(""));
    hash.update(block);
    file.write(block);
    waiting = [];
    length = 0;
  };
  return {
    write(line) {
      const type = String(line.type);
      if (type !== "export") records[type] = (records[type] ?? 0) + 1;
      const text = `${JSON.stringify(line)}\n`;
      waiting.push(text);
      length += text.length;
      if (length >= blockBytes) flush();
    },
    end(missingFiles) {
      flush();
      const line = { type: "end", records, missingFiles, sha256: hash.digest("hex") };
      file.write(Buffer.from(`${JSON.stringify(line)}\n`));
    },
  };
}
