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

/** The number of plain bytes in each chunk. Only the last chunk may have fewer. */
export const chunkLength = 65_536;

export const sealedLength = chunkLength + tagLength;

/** Encrypts a stream in the format of `age` (age-encryption.org/v1). Only one chunk of 64 KiB is in memory. */
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

/** Returns the key that encrypts the content. It is derived from the key of the file. */
export const contentKey = (fileKey: Buffer, nonce: Buffer): Buffer => derived(fileKey, nonce, "payload");

/** Returns the plain bytes of a chunk. Throws an AgeFault if the chunk was changed or moved. */
export function openedChunk(
  key: Buffer,
  place: { readonly at: number; readonly last: boolean },
  sealed: Buffer,
) {
  const plain = openChunk(key, place, sealed);
  // Only an empty file may have an empty last chunk. Otherwise nobody could detect that an empty chunk was
  // added.
  if (plain && (plain.length > 0 || place.at === 0)) return plain;
  throw new AgeFault("content", place.last ? incomplete : changed(place.at));
}

const incomplete = "The encrypted file is incomplete, or its end has changed.";

const changed = (at: number) =>
  `The encrypted file is damaged: bytes ${at * chunkLength} to ${(at + 1) * chunkLength} of its content have changed.`;

export const firstLine = "age-encryption.org/v1\n";

const fileKeyLength = 16;

/** The maximum length of a header, in bytes. */
export const longestHeader = 65_536;

const bodyColumns = 64;

const keyInfo = "age-encryption.org/v1/X25519";

/** Returns the header of a file. It contains the key of the file, encrypted for each recipient. */
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

/** Returns the length of the header; undefined if it is incomplete. Throws an AgeFault for a wrong header. */
export function headerLength(bytes: Buffer): number | undefined {
  const text = bytes.subarray(0, longestHeader).toString("latin1");
  if (!text.startsWith(firstLine.slice(0, text.length))) throw changedHeader();
  const end = text.indexOf("\n", text.indexOf("\n---") + 1);
  if (text.includes("\n---") && end !== -1) return end + 1;
  if (bytes.length >= longestHeader) throw changedHeader();
  return undefined;
}

/** Returns the key of the file. Throws an AgeFault if no identity fits, or for a changed header. */
export function readFileKey(header: Buffer, identities: readonly Identity[]): Buffer {
  const text = header.toString("latin1");
  const { stanzas, mac } = parseHeader(text);
  const fileKey = unwrap(stanzas, identities);
  if (!fileKey) throw new AgeFault("other key", "The file is not encrypted for the given key.");
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
  // The format allows no other stanza next to a `scrypt` stanza, which is for a passphrase.
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
    // With a public key of low order, everybody would know the shared secret. `age` never writes such a key.
    throw changedHeader();
  }
}

const toBase64 = (bytes: Buffer): string => bytes.toString("base64").replace(/(?<!=)=+$/, "");

/** Reads base64 in exactly the form that `toBase64` writes. Throws an AgeFault for any other text. */
function fromBase64(text: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  if (toBase64(bytes) === text) return bytes;
  throw changedHeader();
}

const changedHeader = () => new AgeFault("header", "The file is damaged: its header has changed.");

/** The public key of a person who can decrypt a file. */
export interface Recipient {
  readonly publicKey: Buffer;
}

/** The secret key of a person, with the public key that belongs to it. */
export interface Identity extends Recipient {
  readonly privateKey: Buffer;
}

/** The maximum number of public keys for which a file is encrypted. */
const mostRecipients = 20;

/**
 * Reads public keys (`age1…`), separated by commas or white space. Throws an AgeFault for wrong or too many
 * keys.
 */
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
    throw new AgeFault(
      "key",
      "Only X25519 keys of age are supported. They consist of age1 and 58 more characters.",
    );
  throw new AgeFault(
    "key",
    "A public key of age begins with age1 and has 62 characters. This text is not such a key, or one of its characters is wrong.",
  );
}

/** Whether a public key is safe. With a key of low order, everybody would know the shared secret. */
function isUsable(publicKey: Buffer): boolean {
  try {
    return sharedSecret(randomBytes(keyLength), publicKey).length > 0;
  } catch {
    return false;
  }
}

/** Reads secret keys from a file of `age-keygen`. Throws an AgeFault that never contains a secret key. */
export function readIdentities(text: string): Identity[] {
  const lines = text.split("\n").map((line) => line.trim());
  if (lines[0] === "age-encryption.org/v1" || lines[0]?.startsWith("-----BEGIN AGE"))
    throw new AgeFault("key", "The file of keys is itself encrypted. Decrypt it with age first.");
  const keys = lines.filter((line) => line !== "" && !line.startsWith("#"));
  if (keys.length === 0) throw new AgeFault("key", "The file contains no secret key.");
  return keys.map(identityOf);
}

function identityOf(line: string): Identity {
  const { prefix, bytes } = readBech32(line) ?? {};
  if (prefix === "age-secret-key-" && bytes?.length === keyLength && line === line.toUpperCase())
    return { privateKey: bytes, publicKey: publicKeyOf(bytes) };
  if (line.startsWith("age1"))
    throw new AgeFault(
      "key",
      "This is a public key. Give the file with the secret key, which begins with AGE-SECRET-KEY-1.",
    );
  throw new AgeFault(
    "key",
    "The file of keys contains a line that is not an X25519 secret key. Such a key begins with AGE-SECRET-KEY-1.",
  );
}

const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

const checksumLength = 6;

/** A decoded Bech32 text: the part before the last `1`, in lower case, and the bytes after the `1`. */
interface Bech32 {
  readonly prefix: string;
  readonly bytes: Buffer;
}

/** Reads Bech32 (BIP 173) of any length. Returns undefined for other text or a wrong checksum. */
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

/** Converts groups of 5 bits to bytes. Returns undefined if a whole group or a 1 bit is left. */
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

/** The number of a chunk, and whether it is the last chunk of the file. */
interface ChunkPlace {
  readonly at: number;
  readonly last: boolean;
}

function sealChunk(key: Buffer, place: ChunkPlace, plain: Uint8Array): Buffer {
  const sealing = createCipheriv(cipher, key, nonceOf(place), { authTagLength: tagLength });
  return Buffer.concat([sealing.update(plain), sealing.final(), sealing.getAuthTag()]);
}

/** Returns the plain bytes; undefined if the chunk was changed, or has another key or position. */
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

/** Returns the nonce of a chunk: its number in 11 bytes, and one byte that marks the last chunk. */
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

/** Yields pieces of this length. The last piece may be shorter, but is empty only for an empty stream. */
async function* inPieces(chunks: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Piece> {
  let held = Buffer.allocUnsafe(length);
  let used = 0;
  let at = 0;
  for await (const chunk of chunks)
    for (let taken = 0; taken < chunk.length; ) {
      // A full piece may be the last one. It is yielded here only when another byte follows.
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

/** The bytes that must precede a raw X25519 key so that OpenSSL can read it (RFC 8410). */
const privateForm = Buffer.from("302e020100300506032b656e04220420", "hex");

const publicForm = Buffer.from("302a300506032b656e032100", "hex");

const keyLength = 32;

const publicKeyOf = (privateKey: Buffer): Buffer =>
  createPublicKey(privateKeyOf(privateKey)).export({ format: "der", type: "spki" }).subarray(-keyLength);

/** Throws an error for a public key of low order, because everybody would know the shared secret. */
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

/** The kinds of errors about keys or encrypted files. */
type AgeFaultKind =
  /** The text contains no usable key. */
  | "key"
  /** The beginning of the file is not a header, or was changed. */
  | "header"
  /** The file is encrypted for other keys. */
  | "other key"
  /** The content was changed or is incomplete. */
  | "content";

/** The error for unusable keys or encrypted files. The message is for the operator and contains no secret. */
export class AgeFault extends Error {
  readonly kind: AgeFaultKind;

  constructor(kind: AgeFaultKind, message: string) {
    super(message);
    this.name = "AgeFault";
    this.kind = kind;
  }
}
