import { createHash, webcrypto } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import * as z from "zod/mini";
import { AgeFault } from "../secrets/age/age-fault.ts";
import { firstLine } from "../secrets/age/age-header.ts";
import type { Identity, Recipient } from "../secrets/age/age-keys.ts";
import { decryptStream, encryptStream } from "../secrets/age/encrypted-stream.ts";

const format = 1;

const Header = z.object({
  format: z.literal(format),
  /** `base`: a part of the database file. `log`: a part of its log. */
  kind: z.enum(["base", "log"]),
  number: z.int(),
  /** The hash of the link before; empty for the first one. */
  previous: z.string(),
  /** The instant to which the database can be restored with this link; null if it ends within a transaction or the file. */
  at: z.nullable(z.string()),
  pageSize: z.int(),
  /** For the log: the name of its run. */
  run: z.string(),
  /** For the log the first frame and the one after the last; for the file the first byte and the one after the last. */
  from: z.int(),
  to: z.int(),
  /** For the log: its checksum after the last frame. */
  sums: z.tuple([z.int(), z.int()]),
  /** For the log: the size of the database in pages after the last frame; 0 within a transaction. */
  databasePages: z.int(),
  /** The folder of the files that the database names. */
  files: z.string(),
  encrypted: z.boolean(),
  /** SHA-256 of what follows the header, in hex. */
  sha256: z.string(),
});
export type LinkHeader = z.output<typeof Header>;

/** What a link says about its content. The rest of its header comes from the chain. */
export type LinkContent = Omit<LinkHeader, "format" | "number" | "previous" | "encrypted" | "sha256">;

/** A copy has changed. The message is for the operator. */
export class DamagedCopy extends Error {
  constructor(name: string, what: string) {
    super(`${name} ${what}.`);
    this.name = "DamagedCopy";
  }
}

/** A copy is encrypted, and no given key opens it. The message is for the operator. */
export class LockedCopy extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LockedCopy";
  }
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Makes bytes smaller, and readable by the recipients only, if there are any. */
export async function seal(bytes: Buffer, recipients: readonly Recipient[]): Promise<Buffer> {
  const small = await compress(bytes, { level: 1 });
  return recipients.length === 0 ? small : joined(encryptStream(one(small), recipients));
}

/**
 * Gives the bytes that `seal` got. Throws LockedCopy for a missing or wrong key, and DamagedCopy for bytes that have changed:
 * `name` says of what.
 */
export async function unseal(name: string, sealed: Buffer, identities: readonly Identity[]): Promise<Buffer> {
  const isPlain = sealed.length >= gzipMark.length && sealed.subarray(0, gzipMark.length).equals(gzipMark);
  if (!isPlain && isEncrypted(sealed) && identities.length === 0) throw new LockedCopy(withoutKey);
  try {
    const small = isPlain ? sealed : await joined(decryptStream(one(sealed), identities));
    return await decompress(small, { maxOutputLength: mostBytes });
  } catch (error) {
    if (error instanceof AgeFault && error.kind === "other key") throw new LockedCopy(withOtherKey);
    throw new DamagedCopy(name, "is damaged: its content has changed");
  }
}

const gzipMark = Buffer.from([0x1f, 0x8b]);
/** Much more than any copy holds. */
const mostBytes = 268_435_456;
const isEncrypted = (sealed: Buffer): boolean => sealed.toString("latin1", 0, firstLine.length) === firstLine;
const withoutKey =
  "The copies are encrypted. Name the file with the secret key with --identity, or in INNKEEP_BACKUP_IDENTITY_FILE.";
const withOtherKey = "The copies are encrypted for another key than those in the file of keys.";

/** A link as it is stored: its header in one line, then its content. */
export async function writeLink(
  header: Omit<LinkHeader, "format" | "sha256">,
  sealed: Buffer,
): Promise<{ readonly bytes: Buffer; readonly hash: string }> {
  const line = `${JSON.stringify({ format, ...header, sha256: await hashOf(sealed) })}\n`;
  return { bytes: Buffer.concat([Buffer.from(line), sealed]), hash: hashOfLine(line) };
}

export interface ReadLink {
  readonly header: LinkHeader;
  /** By this the next link names it. */
  readonly hash: string;
  readonly sealed: Buffer;
}

/** Reads a stored link and checks the hash of its content. Throws a DamagedCopy. */
export async function readLink(name: string, bytes: Buffer): Promise<ReadLink> {
  const end = bytes.indexOf(10) + 1;
  const line = bytes.toString("utf8", 0, end);
  const parsed = Header.safeParse(parse(line));
  if (!parsed.success) throw new DamagedCopy(name, "is damaged: it does not begin with a header");
  const sealed = bytes.subarray(end);
  if ((await hashOf(sealed)) !== parsed.data.sha256)
    throw new DamagedCopy(name, "is damaged: its content has changed");
  return { header: parsed.data, hash: hashOfLine(line), sealed };
}

const hashOfLine = (line: string): string => createHash("sha256").update(line).digest("hex");

/** SHA-256 in hex, made on another thread: a part of a file or a log is large. */
export const hashOf = async (bytes: Buffer): Promise<string> =>
  Buffer.from(await webcrypto.subtle.digest("SHA-256", bytes)).toString("hex");

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function joined(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}
