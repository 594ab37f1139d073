import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import type { Identity, Recipient } from "./age.ts";
import { AgeFault } from "./age-fault.ts";
import { openChunk, sealChunk, tagLength } from "./chunk-cipher.ts";
import { keyLength, publicKeyOf, sharedSecret } from "./x25519.ts";

export const firstLine = "age-encryption.org/v1\n";
const fileKeyLength = 16;
/** A header is never longer. */
export const longestHeader = 65_536;
const bodyColumns = 64;
const keyInfo = "age-encryption.org/v1/X25519";

/** Writes the header of a file whose key only the recipients can read. */
export function writeHeader(fileKey: Buffer, recipients: readonly Recipient[]): Buffer {
  const stanzas = recipients.map((recipient) => wrap(fileKey, recipient)).join("");
  const text = `${firstLine}${stanzas}---`;
  return Buffer.from(`${text} ${toBase64(macOf(fileKey, text))}\n`);
}

export const newFileKey = (): Buffer => randomBytes(fileKeyLength);

function wrap(fileKey: Buffer, { publicKey }: Recipient): string {
  const once = randomBytes(keyLength);
  const share = publicKeyOf(once);
  const key = wrappingKey(sharedSecret(once, publicKey), share, publicKey);
  return `-> X25519 ${toBase64(share)}\n${toBase64(sealChunk(key, { at: 0, last: false }, fileKey))}\n`;
}

const wrappingKey = (secret: Buffer, share: Buffer, publicKey: Buffer): Buffer =>
  derived(secret, Buffer.concat([share, publicKey]), keyInfo);

export const derived = (secret: Buffer, salt: Buffer, info: string): Buffer =>
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
  const { stanzas, mac } = parse(text);
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

function parse(text: string): { readonly stanzas: readonly Stanza[]; readonly mac: Buffer } {
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
