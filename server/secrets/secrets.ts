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

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const randomLength = 32;

const checksumLength = 6;

/** The minimum number of hex digits of a mark that `isMark` accepts. They are 80 bits. */
const leastMark = 20;

export type CredentialPrefix = "sdk_" | "sda_" | "sdm_" | "sdt_" | "stk_" | "sdo_" | "sdr_";

/**
 * Returns a new credential: a prefix, 32 random Base62 characters and a checksum. Programs that search for leaked
 * secrets recognise credentials by prefix and checksum. (rule K1)
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

/** Returns the SHA-256 in hex. The database stores credentials and the ids of console sessions only as such hashes. */
export const hashOf = (secret: string): string => hash("sha256", secret);

/** Returns an unguessable name: 256 random bits in base64url. */
export const randomName = (): string => randomBytes(32).toString("base64url");

/** Encrypts and decrypts text with a key that is derived from the deployment's secret (AES-256-GCM). */
export interface Sealer {
  seal(text: string): string;
  /** Decrypts a sealed text. Throws if the text was sealed with another secret or was changed. */
  open(sealed: string): string;
  /**
   * Returns the mark of a text: its HMAC-SHA-256 in hex. The mark shows whether two texts are equal, and nobody without
   * the secret can guess the text from it.
   */
  mark(text: string): string;
  /** Returns the marks of a text, computed with the present secret and with the old ones. */
  marks(text: string): readonly string[];
  /**
   * Whether `mark` is the mark of a text, or the beginning of that mark with at least 80 bits. The mark may be computed
   * with the present secret or an old one.
   */
  isMark(text: string, mark: string): boolean;
}

/**
 * Creates a sealer. It seals texts with `secret`, and also opens texts that were sealed with one of the old secrets.
 */
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
  if (first === undefined) throw new Error("The text was sealed with another secret, or was changed.");
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
 * Returns a function for HMAC-SHA-256 in hex. It uses two plain hashes, because the `Hmac` of Node.js takes several
 * times as long.
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

/**
 * Creates a generator of ids: UUIDs of version 7. Each id is greater than the previous one, even if the clock is set
 * back. Random bytes are requested for many ids together, because a request for 16 bytes takes longer than the rest of
 * the work.
 */
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
      // The sequence starts in the lower half of its range, so at least two billion more ids are possible in the same
      // millisecond.
      seq = new DataView(bytes.buffer, bytes.byteOffset).getUint32(6) >>> 1;
    } else {
      seq += 1;
    }
    return v7({ random: bytes, msecs, seq });
  };
}
