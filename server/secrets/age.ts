import { randomBytes } from "node:crypto";
import { AgeFault } from "./age-fault.ts";
import { readBech32 } from "./bech32.ts";
import { keyLength, publicKeyOf, sharedSecret } from "./x25519.ts";

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
    "A public key of age begins with age1 and has 62 characters. This text is none, or one of its characters is wrong.",
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
