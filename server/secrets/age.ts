import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

export const nonceLength = 16;

const tagLength = 16;

/** The plain length of every chunk but the last. */
export const chunkLength = 65_536;

export const sealedLength = chunkLength + tagLength;

/**
 * Encrypts a stream in the format of age (age-encryption.org/v1), so that only the recipients can read it. It holds one chunk
 * of 64 KiB in memory. The writer needs no secret.
 */
export async function* encryptStream(
  chunks: AsyncIterable<Uint8Array>,
  recipients: readonly Recipient[],
): AsyncGenerator<Buffer> {
  const fileKey = newFileKey();
  const nonce = randomBytes(nonceLength);
  yield Buffer.concat([writeHeader(fileKey, recipients), nonce]);
  const key = contentKey(fileKey, nonce);
  for await (const { bytes, ...place } of inPieces(chunks, chunkLength)) yield sealChunk(key, place, bytes);
}

/** The key of the content, by the key of the file. */
export const contentKey = (fileKey: Buffer, nonce: Buffer): Buffer => derived(fileKey, nonce, "payload");

/** The plain bytes of a chunk. Throws an AgeFault if it has changed or is not the one of this place. */
export function openedChunk(
  key: Buffer,
  place: { readonly at: number; readonly last: boolean },
  sealed: Buffer,
) {
  const plain = openChunk(key, place, sealed);
  // Only an empty file has an empty last chunk: an added one would change nothing that is read.
  if (plain && (plain.length > 0 || place.at === 0)) return plain;
  throw new AgeFault("content", place.last ? incomplete : changed(place.at));
}

const incomplete = "The encrypted file is incomplete, or its end has changed.";

const changed = (at: number) =>
  `The encrypted file is damaged: bytes ${at * chunkLength} to ${(at + 1) * chunkLength} of its content have changed.`;

export const firstLine = "age-encryption.org/v1\n";

const fileKeyLength = 16;

/** A header is never longer. */
export const longestHeader = 65_536;

const bodyColumns = 64;

const keyInfo = "age-encryption.org/v1/X25519";

/** Writes the header of a file whose key only the recipients can read. */
function writeHeader(fileKey: Buffer, recipients: readonly Recipient[]): Buffer {
  const stanzas = recipients.map((recipient) => wrap(fileKey, recipient)).join("");
  const text = `${firstLine}${stanzas}---`;
  return Buffer.from(`${text} ${toBase64(macOf(fileKey, text))}\n`);
}

const newFileKey = (): Buffer => randomBytes(fileKeyLength);

function wrap(fileKey: Buffer, { publicKey }: Recipient): string {
  const once = randomBytes(keyLength);
  const share = publicKeyOf(once);
  const key = wrappingKey(sharedSecret(once, publicKey), share, publicKey);
  return `-> X25519 ${toBase64(share)}\n${toBase64(sealChunk(key, { at: 0, last: false }, fileKey))}\n`;
}

const wrappingKey = (secret: Buffer, share: Buffer, publicKey: Buffer): Buffer =>
  derived(secret, Buffer.concat([share, publicKey]), keyInfo);

const derived = (secret: Buffer, salt: Buffer, info: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, salt, info, 32));

const macOf = (fileKey: Buffer, text: string): Buffer =>
  createHmac("sha256", derived(fileKey, Buffer.alloc(0), "header"))
    .update(text, "latin1")
    .digest();

/** The length of the header with which the bytes begin; undefined if they end within it. Throws if it gets too long. */
export function headerLength(bytes: Buffer): number | undefined {
  const text = bytes.subarray(0, longestHeader).toString("latin1");
  if (!text.startsWith(firstLine.slice(0, text.length))) throw changedHeader();
  const end = text.indexOf("\n", text.indexOf("\n---") + 1);
  if (text.includes("\n---") && end !== -1) return end + 1;
  if (bytes.length >= longestHeader) throw changedHeader();
  return undefined;
}

/** The key of the file, if one of the identities may read it. Throws an AgeFault. */
export function readFileKey(header: Buffer, identities: readonly Identity[]): Buffer {
  const text = header.toString("latin1");
  const { stanzas, mac } = parseHeader(text);
  const fileKey = unwrap(stanzas, identities);
  if (!fileKey) throw new AgeFault("other key", "The file is encrypted for another key than the given one.");
  const expected = macOf(fileKey, text.slice(0, text.lastIndexOf("---") + 3));
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) throw changedHeader();
  return fileKey;
}

interface Stanza {
  readonly words: readonly string[];
  readonly body: Buffer;
}

function parseHeader(text: string): { readonly stanzas: readonly Stanza[]; readonly mac: Buffer } {
  const lines = text.split("\n");
  const stanzas: Stanza[] = [];
  for (let at = 1; ; ) {
    const line = lines[at] ?? "";
    const mac = /^--- (.*)$/s.exec(line)?.[1];
    if (mac !== undefined) return { stanzas, mac: fromBase64(mac) };
    if (!/^->( [\x21-\x7e]+)+$/.test(line)) throw changedHeader();
    const end = lines.findIndex((each, index) => index > at && each.length < bodyColumns);
    const body = lines.slice(at + 1, end + 1);
    if (body.some((each) => each.length > bodyColumns)) throw changedHeader();
    stanzas.push({ words: line.split(" ").slice(1), body: fromBase64(body.join("")) });
    at = end + 1;
  }
}

function unwrap(stanzas: readonly Stanza[], identities: readonly Identity[]): Buffer | undefined {
  // The format allows a passphrase only alone.
  if (stanzas.length > 1 && stanzas.some(({ words }) => words[0] === "scrypt")) throw changedHeader();
  for (const { words, body } of stanzas) {
    if (words[0] !== "X25519") continue;
    const share = fromBase64(words[1] ?? "");
    if (words.length !== 2 || share.length !== keyLength || body.length !== fileKeyLength + tagLength)
      throw changedHeader();
    for (const identity of identities) {
      const key = wrappingKey(secretWith(identity, share), share, identity.publicKey);
      const fileKey = openChunk(key, { at: 0, last: false }, body);
      if (fileKey) return fileKey;
    }
  }
  return undefined;
}

function secretWith({ privateKey }: Identity, share: Buffer): Buffer {
  try {
    return sharedSecret(privateKey, share);
  } catch {
    // A share of low order, which no writer of age makes.
    throw changedHeader();
  }
}

const toBase64 = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");

/** Reads what `toBase64` writes, and nothing else. */
function fromBase64(text: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  if (toBase64(bytes) === text) return bytes;
  throw changedHeader();
}

const changedHeader = () => new AgeFault("header", "The file is damaged: its header has changed.");

/** The public key of a person who may read an encrypted file. */
export interface Recipient {
  readonly publicKey: Buffer;
}

/** The secret key of a person, with its public key. */
export interface Identity extends Recipient {
  readonly privateKey: Buffer;
}

/** The most keys for which a file is encrypted. */
const mostRecipients = 20;

/** Reads public keys of age (`age1…`), separated by commas or blanks. Throws an AgeFault for anything else. */
export function readRecipients(text: string): Recipient[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  if (words.length === 0) throw new AgeFault("key", "There is no public key.");
  if (words.length > mostRecipients)
    throw new AgeFault("key", `There are more than ${mostRecipients} public keys.`);
  return words.map(recipientOf);
}

function recipientOf(word: string): Recipient {
  if (/^age-secret-key-/i.test(word))
    throw new AgeFault("key", "This is a secret key. Give the public key, which begins with age1.");
  const { prefix, bytes } = readBech32(word) ?? {};
  if (prefix === "age" && bytes?.length === keyLength && word === word.toLowerCase() && isUsable(bytes))
    return { publicKey: bytes };
  if (/^(age1(pq|tag|tagpq)1|ssh-)/.test(word))
    throw new AgeFault("key", "Only X25519 keys of age are supported: age1 and 58 more characters.");
  throw new AgeFault(
    "key",
    "A public key of age begins with age1 and has 62 characters. This text is not such a key, or one of its characters is wrong.",
  );
}

/** Whether a secret can be shared with a public key. Those of low order would share a known one. */
function isUsable(publicKey: Buffer): boolean {
  try {
    return sharedSecret(randomBytes(keyLength), publicKey).length > 0;
  } catch {
    return false;
  }
}

/** Reads a file of secret keys as `age-keygen` writes it. Throws an AgeFault without repeating a secret. */
export function readIdentities(text: string): Identity[] {
  const lines = text.split("\n").map((line) => line.trim());
  if (lines[0] === "age-encryption.org/v1" || lines[0]?.startsWith("-----BEGIN AGE"))
    throw new AgeFault("key", "The file of keys is itself encrypted. Decrypt it with age first.");
  const keys = lines.filter((line) => line !== "" && !line.startsWith("#"));
  if (keys.length === 0) throw new AgeFault("key", "The file holds no secret key.");
  return keys.map(identityOf);
}

function identityOf(line: string): Identity {
  const { prefix, bytes } = readBech32(line) ?? {};
  if (prefix === "age-secret-key-" && bytes?.length === keyLength && line === line.toUpperCase())
    return { privateKey: bytes, publicKey: publicKeyOf(bytes) };
  if (line.startsWith("age1"))
    throw new AgeFault("key", "This is a public key. Give the file with the secret key AGE-SECRET-KEY-1….");
  throw new AgeFault("key", "The file of keys holds a line that is no X25519 key: AGE-SECRET-KEY-1….");
}

const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

const checksumLength = 6;

/** The part before the last `1`, in lower case, and the bytes after it. */
interface Bech32 {
  readonly prefix: string;
  readonly bytes: Buffer;
}

/** Reads a text in Bech32 (BIP 173) of any length. Undefined if it is none, or its checksum does not fit. */
export function readBech32(text: string): Bech32 | undefined {
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return undefined;
  const end = lower.lastIndexOf("1");
  const prefix = lower.slice(0, Math.max(end, 0));
  const values = [...lower.slice(end + 1)].map((letter) => alphabet.indexOf(letter));
  if (!/^[\x21-\x7e]+$/.test(prefix) || values.length < checksumLength || values.includes(-1))
    return undefined;
  if (checksumOf([...expanded(prefix), ...values]) !== 1) return undefined;
  const bytes = bytesOf(values.slice(0, -checksumLength));
  return bytes && { prefix, bytes };
}

function expanded(prefix: string): number[] {
  const codes = [...Buffer.from(prefix)];
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

function checksumOf(values: readonly number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of generators.entries()) if ((top >> bit) & 1) sum ^= generator;
  }
  return sum;
}

/** Groups of 5 bits as bytes. Undefined if what is left over is a whole group, or is not zero. */
function bytesOf(groups: readonly number[]): Buffer | undefined {
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  for (const group of groups) {
    held = (held << 5) | group;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(held >> bits);
    held &= (1 << bits) - 1;
  }
  return bits < 5 && held === 0 ? Buffer.from(bytes) : undefined;
}

const cipher = "chacha20-poly1305";

/** Which chunk of a file it is. */
interface ChunkPlace {
  readonly at: number;
  readonly last: boolean;
}

function sealChunk(key: Buffer, place: ChunkPlace, plain: Uint8Array): Buffer {
  const sealing = createCipheriv(cipher, key, nonceOf(place), { authTagLength: tagLength });
  return Buffer.concat([sealing.update(plain), sealing.final(), sealing.getAuthTag()]);
}

/** The plain bytes; undefined if they were sealed with another key, at another place, or have changed. */
function openChunk(key: Buffer, place: ChunkPlace, sealed: Buffer): Buffer | undefined {
  if (sealed.length < tagLength) return undefined;
  const opening = createDecipheriv(cipher, key, nonceOf(place), { authTagLength: tagLength });
  opening.setAuthTag(sealed.subarray(-tagLength));
  const plain = opening.update(sealed.subarray(0, -tagLength));
  try {
    opening.final();
    return plain;
  } catch {
    return undefined;
  }
}

/** 11 bytes that count, and one that marks the last chunk. */
function nonceOf({ at, last }: ChunkPlace): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(at, 5, 6);
  nonce[11] = last ? 1 : 0;
  return nonce;
}

interface Piece {
  readonly bytes: Buffer;
  readonly at: number;
  readonly last: boolean;
}

/**
 * The bytes of a stream in pieces of this length; the last one may be shorter, and is empty only for an empty stream. Holds
 * one piece, and the next one's memory is new.
 */
async function* inPieces(chunks: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Piece> {
  let held = Buffer.allocUnsafe(length);
  let used = 0;
  let at = 0;
  for await (const chunk of chunks)
    for (let taken = 0; taken < chunk.length; ) {
      // A full piece waits for another byte, which says that it is not the last.
      if (used === length) {
        yield { bytes: held, at, last: false };
        held = Buffer.allocUnsafe(length);
        used = 0;
        at += 1;
      }
      const part = chunk.subarray(taken, taken + length - used);
      held.set(part, used);
      used += part.length;
      taken += part.length;
    }
  yield { bytes: held.subarray(0, used), at, last: true };
}

/** The beginnings of the forms in which OpenSSL reads bare keys (RFC 8410). */
const privateForm = Buffer.from("302e020100300506032b656e04220420", "hex");

const publicForm = Buffer.from("302a300506032b656e032100", "hex");

const keyLength = 32;

/** The public key of a private key. */
const publicKeyOf = (privateKey: Buffer): Buffer =>
  createPublicKey(privateKeyOf(privateKey)).export({ format: "der", type: "spki" }).subarray(-keyLength);

/** The secret that both sides share. Throws for a public key of low order, which would share a known secret. */
const sharedSecret = (privateKey: Buffer, publicKey: Buffer): Buffer =>
  diffieHellman({
    privateKey: privateKeyOf(privateKey),
    publicKey: createPublicKey({
      key: Buffer.concat([publicForm, publicKey]),
      format: "der",
      type: "spki",
    }),
  });

const privateKeyOf = (bytes: Buffer) =>
  createPrivateKey({ key: Buffer.concat([privateForm, bytes]), format: "der", type: "pkcs8" });

/** What is wrong with keys or with an encrypted file. */
type AgeFaultKind =
  /** The text holds no usable key. */
  | "key"
  /** The beginning of the file is not a header, or has changed. */
  | "header"
  /** The file is encrypted for other keys. */
  | "other key"
  /** The content has changed or is incomplete. */
  | "content";

/** Keys or an encrypted file cannot be used. The message is for the operator and holds no secret. */
export class AgeFault extends Error {
  readonly kind: AgeFaultKind;

  constructor(kind: AgeFaultKind, message: string) {
    super(message);
    this.name = "AgeFault";
    this.kind = kind;
  }
}
