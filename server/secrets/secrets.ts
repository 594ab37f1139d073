import {
  createCipheriv,
  createDecipheriv,
  hash,
  hkdfSync,
  randomBytes,
  randomFillSync,
  randomInt,
  timingSafeEqual,
} from "node:crypto";
import { crc32 } from "node:zlib";
import { v7 } from "uuid";

const mark = "sealed:";

const shownEnd = 4;

const longEnough = 24;

/**
 * Whether a stored address is encrypted with the deployment's secret. Older versions stored addresses as plain text.
 */
export const isSealed = (stored: string): boolean => stored.startsWith(mark);

/** Encrypts an address for the database. Everybody with a chat webhook's address can post to the channel. */
export const sealAddress = (sealer: Pick<Sealer, "seal">, address: string): string =>
  mark + sealer.seal(address);

/**
 * Returns the plain address for a stored address. Throws if the address was encrypted with another secret.
 */
export const openAddress = (sealer: Pick<Sealer, "open">, stored: string): string =>
  isSealed(stored) ? sealer.open(stored.slice(mark.length)) : stored;

/** Returns what may be shown of an address: its origin, and the end of a long address. */
export function maskAddress(address: string): string {
  const { origin, pathname, search } = new URL(address);
  const rest = pathname + search;
  return `${origin}/***${rest.length >= longEnough ? rest.slice(-shownEnd) : ""}`;
}

const hashedText = (email: string): string => `erased person\n${email}`;

/** Returns the keyed hash of a normalised e-mail address, for the receipt of an erasure. */
export const personHash = ({ mark }: Pick<Sealer, "mark">, email: string): string => mark(hashedText(email));

/** Whether `hash` is the hash of an e-mail address, computed with the current or an old secret. */
export const isPersonHash = ({ isMark }: Pick<Sealer, "isMark">, email: string, hash: string): boolean =>
  isMark(hashedText(email), hash);

/** Returns an e-mail address's hashes with the current and all old secrets, to find receipts of erasures. */
export const personHashes = ({ marks }: Pick<Sealer, "marks">, email: string): readonly string[] =>
  marks(hashedText(email));

const ofSecret = "secret of erased people";

/** Returns a text that identifies the secret with which an entry of the journal of erasures was hashed. */
export const secretMark = ({ mark }: Pick<Sealer, "mark">): string => mark(ofSecret);

export const isSecretMark = ({ isMark }: Pick<Sealer, "isMark">, mark: string): boolean =>
  isMark(ofSecret, mark);

const macDigits = 32;

const macBytes = macDigits / 2;

export const uuidBytes = 16;

/** A kind of link. A token is valid for one kind. `headBytes` is the number of bytes before the MAC. */
export interface LinkKind {
  readonly purpose: string;
  readonly headBytes: number;
}

/**
 * Returns a link's token in base64url: the bytes of hexadecimal `head`, and a MAC. The token is not stored.
 * (rules M8, N6)
 */
export const linkTokenOf = (sealer: Pick<Sealer, "mark">, { purpose }: LinkKind, head: string): string =>
  Buffer.from(head + sealer.mark(`${purpose}\n${head}`).slice(0, macDigits), "hex").toString("base64url");

/**
 * Returns the bytes before the MAC of a token. Returns undefined if this deployment did not create the token.
 */
export function readLinkToken(
  sealer: Pick<Sealer, "isMark">,
  { purpose, headBytes }: LinkKind,
  token: string,
): Buffer | undefined {
  const digits = Math.ceil(((headBytes + macBytes) * 4) / 3);
  if (token.length !== digits || !/^[\w-]+$/.test(token)) return undefined;
  const bytes = Buffer.from(token, "base64url");
  const [head, mac] = [bytes.subarray(0, headBytes), bytes.subarray(headBytes)];
  // Several base64url texts decode to the same bytes. Only the text of the encoder is valid.
  if (bytes.toString("base64url") !== token) return undefined;
  return sealer.isMark(`${purpose}\n${head.toString("hex")}`, mac.toString("hex")) ? head : undefined;
}

/** Returns a UUID as hexadecimal digits. */
export const digitsOfUuid = (id: string): string => id.replaceAll("-", "").toLowerCase();

/** Returns 16 bytes in the text form of a UUID. */
export const uuidOf = (bytes: Buffer): string =>
  bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** Returns an id that is computed from texts. The same texts always have the same id. */
export const idOfTexts = (texts: readonly string[]): string =>
  uuidOf(Buffer.from(hash("sha256", JSON.stringify(texts)).slice(0, 2 * uuidBytes), "hex"));

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const randomLength = 32;

const checksumLength = 6;

/** The minimum number of hex digits of a mark that `isMark` accepts. They are 80 bits. */
const leastMark = 20;

export type CredentialPrefix = "sdk_" | "sda_" | "sdm_" | "sdt_" | "stk_" | "sdo_" | "sdr_";

/**
 * Returns a new credential: prefix, 32 random Base62 characters, checksum. Programs that search for leaked secrets
 * recognise it. (rule K1)
 */
export function mintCredential(prefix: CredentialPrefix): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join("");
  return prefix + random + checksum(prefix + random);
}

/**
 * Returns the first characters of a credential. They may be shown, so that a person can recognise the credential.
 * (rule K11)
 */
export const visiblePrefix = (credential: string): string => credential.slice(0, 10);

/** Returns the SHA-256 in hex. The database stores only this hash of credentials and session ids. */
export const hashOf = (secret: string): string => hash("sha256", secret);

/** Returns 256 random bits in base64url, which nobody can guess. */
export const randomName = (): string => randomBytes(32).toString("base64url");

/** Encrypts and decrypts text with a key that is derived from the deployment's secret (AES-256-GCM). */
export interface Sealer {
  seal(text: string): string;
  /** Decrypts a text. Throws if the text was encrypted with another secret or was changed. */
  open(sealed: string): string;
  /** Returns the HMAC-SHA-256 of a text in hex. Without the secret, nobody can find the text. */
  mark(text: string): string;
  /** Returns the marks of a text, computed with the current secret and with the old ones. */
  marks(text: string): readonly string[];
  /** Whether `mark` is one of `marks(text)`, or the first 80 or more bits of one of these marks. */
  isMark(text: string, mark: string): boolean;
}

/** Creates a sealer that encrypts with `secret`, and decrypts with it or an old secret. */
export function createSealer(secret: string, old: readonly string[] = []): Sealer {
  const sealer = sealerOf(secret);
  const openers = [sealer, ...old.map(sealerOf)];
  return {
    ...sealer,
    open: (sealed) => openWithAny(openers, sealed),
    marks: (text) => openers.map((each) => each.mark(text)),
    isMark: (text, mark) => openers.some((each) => each.isMark(text, mark)),
  };
}

function openWithAny([first, ...others]: readonly Sealer[], sealed: string): string {
  if (first === undefined) throw new Error("The text was encrypted with another secret, or was changed.");
  try {
    return first.open(sealed);
  } catch (error) {
    if (others.length === 0) throw error;
    return openWithAny(others, sealed);
  }
}

function sealerOf(secret: string): Sealer {
  const keys = Buffer.from(hkdfSync("sha256", secret, "", "innkeep sealed text v1", 64));
  const [key, markingKey] = [keys.subarray(0, 32), keys.subarray(32)];
  const markOf = createMark(markingKey);
  return {
    seal(text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12), { authTagLength: 16 });
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
    mark: markOf,
    marks: (text) => [markOf(text)],
    isMark(text, mark) {
      const [given, own] = [Buffer.from(mark), Buffer.from(markOf(text).slice(0, mark.length))];
      return given.length >= leastMark && given.length === own.length && timingSafeEqual(given, own);
    },
  };
}

const blockBytes = 64;

/**
 * Returns a function that computes HMAC-SHA-256 in hex. It is several times as fast as the class `Hmac` of
 * Node.js.
 */
function createMark(key: Buffer): (text: string) => string {
  const block = Buffer.alloc(blockBytes);
  key.copy(block);
  const inner = block.map((byte) => byte ^ 0x36);
  const outer = block.map((byte) => byte ^ 0x5c);
  return (text) => {
    const inside = hash("sha256", Buffer.concat([inner, Buffer.from(text)]), "buffer");
    return hash("sha256", Buffer.concat([outer, inside]));
  };
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  while (digits.length < checksumLength) {
    digits = (alphabet[rest % alphabet.length] ?? "") + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

const idBytes = 16;

const idsAtOnce = 256;

/** Creates a generator of UUIDs (version 7). Ids always increase, even if the clock is set back. */
export function createNewId(): () => string {
  const pool = new Uint8Array(idBytes * idsAtOnce);
  let used = pool.length;
  let msecs = 0;
  let seq = 0;

  function random(): Uint8Array {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += idBytes;
    return pool.subarray(used - idBytes, used);
  }

  return () => {
    const bytes = random();
    const now = Date.now();
    if (now > msecs) {
      msecs = now;
      // The sequence starts in the lower half, so that two billion more ids fit into the millisecond.
      seq = new DataView(bytes.buffer, bytes.byteOffset).getUint32(6) >>> 1;
    } else {
      seq += 1;
    }
    return v7({ random: bytes, msecs, seq });
  };
}
