import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import * as z from "zod/mini";
import { systemReason } from "../../src/words/phrases.ts";
import { hashOfStream } from "../files/hash.ts";
import { blockSize, paddingOf, readTarHeader, tarHeader } from "../files/tar.ts";
import {
  AgeFault,
  chunkLength,
  contentKey,
  encryptStream,
  firstLine,
  headerLength,
  type Identity,
  longestHeader,
  nonceLength,
  openedChunk,
  type Recipient,
  readFileKey,
  readIdentities,
  readRecipients,
  sealedLength,
} from "../secrets/age.ts";
import { SettingError } from "../settings/settings.ts";

export const formatVersion = 1;

export const headerName = "backup.json";

export const secretName = "secret";

export const contentsName = "contents.json";

const Header = z.object({
  format: z.literal(formatVersion),
  migrations: z.array(z.object({ number: z.int(), name: z.string() })),
  /** The tables in the order in which a restore fills them. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
});

export type BackupHeader = z.output<typeof Header>;

/** Returns the header of a backup. Throws an Error with a message if this program cannot read the backup. */
export async function readHeader(archive: Archive): Promise<BackupHeader> {
  const [first] = archive.entries;
  if (first?.name !== headerName) throw new Error("The file is not a backup from Innkeep.");
  const result = Header.safeParse(JSON.parse(await archive.readText(first)));
  if (result.success) return result.data;
  throw new Error(newerBackup);
}

const Contents = z.object({
  /** The number of rows of each table. */
  rows: z.record(z.string(), z.int()),
  files: z.int(),
  /** The SHA-256 of the files that could not be copied. */
  missing: z.array(z.string()),
  /**
   * The SHA-256 of files that were deleted during the backup. Rows in the backup still refer to these files.
   */
  deleted: z.array(z.string()),
});

export type BackupContents = z.output<typeof Contents>;

/** Returns the numbers of rows and files in a backup; undefined for a backup of an older version. */
export async function readContents(archive: Archive): Promise<BackupContents | undefined> {
  const entry = archive.entries.find(({ name }) => name === contentsName);
  return entry && Contents.parse(JSON.parse(await archive.readText(entry)));
}

/** The error message for a backup that a newer version of this program has created. */
export const newerBackup =
  "This backup was created by a newer version of Innkeep. Restore it with that version.";

/** Returns the entries that contain the rows of a table, in order. */
export const rowEntries = ({ entries }: Archive, table: string): ArchiveEntry[] =>
  entries.filter(({ name }) => name.startsWith(`database/${table}/`));

/** Returns the entries that are files, each with the SHA-256 of its bytes. */
export const fileEntries = ({ entries }: Archive): [sha256: string, entry: ArchiveEntry][] =>
  entries.flatMap((entry) => {
    const sha256 = /^files\/([\da-f]{64})$/.exec(entry.name)?.[1];
    return sha256 === undefined ? [] : [[sha256, entry]];
  });

/** Compares the whole archive with its manifest. Throws an Error whose message names the first difference. */
export async function verifyArchive(archive: Archive): Promise<void> {
  for await (const fault of archiveFaults(archive)) throw new Error(fault);
}

/** Compares the whole archive with its manifest. Yields one sentence for each difference. */
export async function* archiveFaults(archive: Archive): AsyncGenerator<string> {
  const listed = await readManifest(archive);
  if (!listed) yield "The backup is incomplete: its manifest is missing.";
  const order: string[] = [];
  for (const entry of archive.entries.filter(({ name }) => name !== manifestName)) {
    const sha256 = await hashOfEntry(archive, entry);
    const named = /^files\/(.+)$/.exec(entry.name)?.[1] ?? sha256;
    const expected = listed ? listed.hashes.get(entry.name) : sha256;
    if (sha256 === undefined || sha256 !== expected || sha256 !== named) yield damaged(entry.name);
    order.push(`${expected}  ${entry.name}\n`);
  }
  if (!listed) return;
  const present = new Set(archive.entries.map(({ name }) => name));
  for (const name of listed.hashes.keys()) if (!present.has(name)) yield `${name} is missing in the backup.`;
  // The manifest must contain exactly one line for each entry, in the order of the entries.
  if (order.join("") !== listed.text) yield damaged(manifestName);
}

interface Manifest {
  readonly text: string;
  readonly hashes: ReadonlyMap<string, string>;
}

/** Reads the manifest. Returns undefined if it is damaged or is not the last entry. */
async function readManifest(archive: Archive): Promise<Manifest | undefined> {
  const last = archive.entries.at(-1);
  if (last?.name !== manifestName) return undefined;
  const text = await archive.readText(last).catch(undefinedIfDamaged);
  if (text === undefined) return undefined;
  const lines = [...text.matchAll(/^([\da-f]{64}) {2}(.+)$/gm)];
  return { text, hashes: new Map(lines.map(([, sha256 = "", name = ""]) => [name, sha256])) };
}

const hashOfEntry = (archive: Archive, entry: ArchiveEntry): Promise<string | undefined> =>
  hashOfStream(archive.read(entry)).catch(undefinedIfDamaged);

function undefinedIfDamaged(error: unknown): undefined {
  if (!(error instanceof AgeFault)) throw error;
}

const damaged = (name: string) => `The backup is damaged: ${name} has changed.`;

const chunkSize = 262_144;

export interface Archive {
  readonly entries: readonly ArchiveEntry[];
  read(entry: ArchiveEntry): AsyncIterable<Buffer>;
  readText(entry: ArchiveEntry): Promise<string>;
  close(): Promise<void>;
}

/** The default for `onFault`. Throws an Error at the first fault. */
function stop(fault: string): never {
  throw new Error(fault);
}

/** Opens an archive, encrypted or not. Throws an Error if the file is incomplete or no archive. */
export async function openArchive(path: string, options: OpenOptions = {}): Promise<Archive> {
  return archiveIn(await openArchiveFile(path, options.identities), options.onFault);
}

interface OpenOptions {
  /** The keys that decrypt an encrypted archive. */
  readonly identities?: readonly Identity[] | undefined;
  readonly onFault?: OnFault;
}

/**
 * Returns the archive in a file. The file is closed with the archive, or after an error. Throws like
 * `openArchive`.
 */
export async function archiveIn(file: ArchiveFile, onFault: OnFault = stop): Promise<Archive> {
  const read = (entry: ArchiveEntry) => readEntry(file, entry);
  try {
    return {
      entries: await findEntries(file, onFault),
      read,
      async readText(entry) {
        const chunks: Buffer[] = [];
        for await (const chunk of read(entry)) chunks.push(chunk);
        return Buffer.concat(chunks).toString();
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* readEntry(file: ArchiveFile, { name, at, size }: ArchiveEntry): AsyncGenerator<Buffer> {
  for (let done = 0; done < size; ) {
    const length = Math.min(chunkSize, size - done);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at + done);
    if (bytesRead === 0) throw new Error(`The backup is incomplete: it ends in the middle of ${name}.`);
    yield buffer.subarray(0, bytesRead);
    done += bytesRead;
  }
}

/** Opens a file, and decrypts it while it is read. Throws an Error with a message for the operator. */
async function openArchiveFile(
  path: string,
  identities: readonly Identity[] | undefined,
): Promise<ArchiveFile> {
  const file = await open(path).catch((cause) => {
    throw new SettingError(`${path} cannot be read (${systemReason(cause)}).`);
  });
  try {
    if ((await file.stat()).isDirectory()) throw new SettingError(`${path} is a folder, not a backup.`);
    if (!(await isEncrypted(file))) return file;
    if (!identities) throw new SettingError(`${path} is encrypted. ${nameKeys}`);
    return await decryptedFile(file, identities);
  } catch (error) {
    await file.close();
    if (!(error instanceof AgeFault)) throw error;
    if (error.kind === "other key")
      throw new SettingError(`${path} is encrypted, and the file of keys does not contain its key.`);
    throw new Error(`${path}: ${error.message}`);
  }
}

const nameKeys =
  "Give the path of the file that contains the secret key, with --identity or in INNKEEP_BACKUP_IDENTITY_FILE.";

async function isEncrypted(file: ArchiveFile): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(firstLine.length), 0, firstLine.length, 0);
  return buffer.toString("latin1", 0, bytesRead) === firstLine;
}

/** Returns a file that decrypts `file` while it is read. Throws an AgeFault for wrong keys or damaged bytes. */
export async function decryptedFile(
  file: ArchiveFile,
  identities: readonly Identity[],
): Promise<ArchiveFile> {
  const { key, from } = await readKey(file, identities);
  const sealed = (await file.stat()).size - from;
  const lastAt = Math.max(0, Math.ceil(sealed / sealedLength) - 1);
  let held: { readonly at: number; readonly plain: Buffer } | undefined;

  async function plainAt(at: number): Promise<Buffer> {
    if (held?.at === at) return held.plain;
    const bytes = await bytesAt(file, from + at * sealedLength, sealedLength);
    const plain = openedChunk(key, { at, last: at === lastAt }, bytes);
    held = { at, plain };
    return plain;
  }

  // The last chunk is read first, because it shows whether the end of the file is missing.
  const size = lastAt * chunkLength + (await plainAt(lastAt)).length;
  return {
    async read(buffer, offset, length, position) {
      const wanted = Math.max(0, Math.min(length, size - position));
      for (let done = 0; done < wanted; ) {
        const place = position + done;
        const plain = await plainAt(Math.floor(place / chunkLength));
        const begin = place % chunkLength;
        done += plain.copy(buffer, offset + done, begin, begin + wanted - done);
      }
      return { buffer, bytesRead: wanted };
    },
    stat: async () => ({ size }),
    close: () => file.close(),
  };
}

async function readKey(file: ArchiveFile, identities: readonly Identity[]) {
  const bytes = await bytesAt(file, 0, longestHeader + nonceLength);
  const length = headerLength(bytes);
  if (length === undefined || bytes.length < length + nonceLength)
    throw new AgeFault("header", "The encrypted file is incomplete: it ends in the middle of its header.");
  const from = length + nonceLength;
  return {
    key: contentKey(readFileKey(bytes.subarray(0, length), identities), bytes.subarray(length, from)),
    from,
  };
}

/** Reads `length` bytes from a position, or fewer if the file ends earlier. */
async function bytesAt(file: ArchiveFile, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let done = 0; ; ) {
    const { bytesRead } = await file.read(buffer, done, length - done, position + done);
    done += bytesRead;
    if (bytesRead === 0 || done === length) return buffer.subarray(0, done);
  }
}

export interface ArchiveEntry {
  readonly name: string;
  readonly size: number;
  /** The position of the first byte of the content. */
  readonly at: number;
}

/** Called with each fault of an archive. If the function returns, the reader continues with the next readable part. */
type OnFault = (fault: string) => void;

/** Returns the entries of an archive. After a fault, continues at the next block that is a header. */
async function findEntries(file: ArchiveFile, onFault: OnFault): Promise<ArchiveEntry[]> {
  const { size } = await file.stat();
  const entries: ArchiveEntry[] = [];
  for (let at = 0; at < size; ) {
    const block = readBlock(await decryptedBytesAt(file, at, blockSize));
    if (block === "end") {
      if (!isZero(await decryptedBytesAt(file, at + blockSize, blockSize), blockSize))
        onFault(noBackup("its end"));
      else if (size !== at + 2 * blockSize) onFault("The backup is damaged: its length has changed.");
      return entries;
    }
    if (block === "no entry") {
      onFault(noBackup(`the entry at byte ${at}`));
      at = await nextEntry(file, at + blockSize, size);
      continue;
    }
    const end = at + blockSize + block.size;
    const padding = paddingOf(block.size);
    if (end + padding > size) {
      onFault(`The backup is incomplete: it ends in the middle of ${block.name}.`);
      return entries;
    }
    entries.push({ ...block, at: at + blockSize });
    if (!isZero(await decryptedBytesAt(file, end, padding), padding))
      onFault(noBackup(`the end of ${block.name}`));
    at = end + padding;
  }
  onFault("The backup is incomplete: its end is missing.");
  return entries;
}

const noBackup = (what: string) => `The file is not a backup, or it is damaged: ${what} has changed.`;

type Block = { readonly name: string; readonly size: number } | "end" | "no entry";

/** Returns what a block is. It can be the header of an entry, the end of the archive, or neither. */
function readBlock(bytes: Buffer): Block {
  try {
    return readTarHeader(bytes) ?? "end";
  } catch {
    return "no entry";
  }
}

/** Returns the position of the next entry, or the end of the file if there is none. */
async function nextEntry(file: ArchiveFile, from: number, size: number): Promise<number> {
  for (let at = from; at < size; ) {
    // Each read ends where an encrypted chunk ends, so that a damaged chunk does not hide the next chunk.
    const length = chunkLength - (at % chunkLength);
    const bytes = await decryptedBytesAt(file, at, length);
    for (let begin = 0; begin < bytes.length; begin += blockSize)
      if (typeof readBlock(bytes.subarray(begin, begin + blockSize)) === "object") return at + begin;
    at += length;
  }
  return size;
}

/** Reads bytes at a position. Returns no bytes if they cannot be decrypted. */
async function decryptedBytesAt(file: ArchiveFile, at: number, length: number): Promise<Buffer> {
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (error instanceof AgeFault) return Buffer.alloc(0);
    throw error;
  }
}

const isZero = (bytes: Buffer, length: number): boolean =>
  bytes.length === length && bytes.every((byte) => byte === 0);

/** An open file with an archive, such as a FileHandle. */
export interface ArchiveFile {
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly buffer: Buffer; readonly bytesRead: number }>;
  stat(): Promise<{ readonly size: number }>;
  close(): Promise<void>;
}

export const manifestName = "manifest.sha256";

/** Writes a tar file. Its last entry lists the SHA-256 of all other entries, in the format of `sha256sum -c`. */
export interface ArchiveWriter {
  /**
   * Adds `size` bytes and returns their SHA-256. If the size or the SHA-256 `wanted` differs, returns undefined
   * and adds nothing.
   */
  add(name: string, bytes: SizedStream, wanted?: string): Promise<string | undefined>;
  addText(name: string, text: string): Promise<void>;
  /** Writes the manifest and the end of the archive, and flushes the file to the disk. */
  finish(): Promise<void>;
  /** Deletes the archive. */
  abandon(): Promise<void>;
}

interface SizedStream {
  readonly size: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Creates an archive in `draft`, and deletes an older file there. Two processes must not do this at once. */
export async function createArchive(draft: string): Promise<ArchiveWriter> {
  await rm(draft, { force: true });
  const handle = await open(draft, "wx", 0o600);
  const lines: string[] = [];
  let end = 0;

  async function add(
    name: string,
    { size, chunks }: SizedStream,
    wanted?: string,
  ): Promise<string | undefined> {
    const body = end + blockSize;
    await writeAt(handle, body - blockSize, tarHeader(name, size));
    const sha256 = await writeExactly(handle, body, { size, chunks });
    if (wanted !== undefined && wanted !== sha256) return undefined;
    await writeAt(handle, body + size, Buffer.alloc(paddingOf(size)));
    end = body + size + paddingOf(size);
    lines.push(`${sha256}  ${name}\n`);
    return sha256;
  }

  async function addText(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await add(name, { size: bytes.length, chunks: inOneChunk(bytes) });
  }

  return {
    add,
    addText,
    async finish() {
      await addText(manifestName, lines.join(""));
      await writeAt(handle, end, Buffer.alloc(2 * blockSize));
      await handle.truncate(end + 2 * blockSize);
      await handle.sync();
      await handle.close();
    },
    async abandon() {
      await handle.close().catch(() => undefined);
      await rm(draft, { force: true });
    },
  };
}

async function writeExactly(
  handle: FileHandle,
  from: number,
  { size, chunks }: SizedStream,
): Promise<string> {
  const hash = createHash("sha256");
  let written = 0;
  for await (const chunk of chunks) {
    await writeAt(handle, from + written, chunk);
    hash.update(chunk);
    written += chunk.length;
  }
  // If the size is wrong, the result is a text that cannot be equal to a wanted SHA-256.
  return written === size ? hash.digest("hex") : `${written} bytes, not ${size}`;
}

async function writeAt(handle: FileHandle, position: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Returns the path that a file has until it is complete. */
export const draftOf = (file: string): string => `${file}.partial`;

/** Renames a complete draft to its final name, and flushes the folder to the disk. */
export async function publishDraft(file: string): Promise<void> {
  await rename(draftOf(file), file);
  if (process.platform === "win32") return;
  const folder = await open(dirname(resolve(file)), "r");
  await folder.sync().finally(() => folder.close());
}

/** Encrypts `plain` into the draft of `file`. Throws an Error if the draft contains other bytes. (rule O21) */
export async function encryptInto(
  file: string,
  plain: string,
  recipients: readonly Recipient[],
): Promise<void> {
  const draft = draftOf(file);
  await rm(draft, { force: true });
  const handle = await open(draft, "wx", 0o600);
  const hash = createHash("sha256");
  try {
    for await (const chunk of encryptStream(createReadStream(plain), recipients)) {
      await handle.writeFile(chunk);
      hash.update(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  if ((await hashOfStream(createReadStream(draft))) === hash.digest("hex")) return;
  throw new Error(`${draft} does not contain the bytes that were written into it.`);
}

/** Returns the public keys in a text; undefined for an empty text. Throws a SettingError for a malformed key. */
export const recipientsIn = (text: string | undefined): Recipient[] | undefined =>
  text ? read("INNKEEP_BACKUP_RECIPIENT (--recipient)", () => readRecipients(text)) : undefined;

/** Returns the secret keys in a file. Throws a SettingError; its message contains no key. */
export async function identitiesIn(file: string | undefined): Promise<Identity[] | undefined> {
  if (!file) return undefined;
  const text = await readFile(file, "utf8").catch((cause) => {
    throw new SettingError(`The file of keys ${file} cannot be read (${systemReason(cause)}).`);
  });
  return read(file, () => readIdentities(text));
}

function read<Keys>(where: string, work: () => Keys): Keys {
  try {
    return work();
  } catch (error) {
    if (error instanceof AgeFault) throw new SettingError(`${where}: ${error.message}`);
    throw error;
  }
}
