import { randomBytes, timingSafeEqual } from "node:crypto";
import { type Argon2, type Cost, type Derive, hashLength, usualCost } from "./argon2.ts";

const saltLength = 16;

/** Argon2id with PHC strings, by a function that gives the bytes of a hash. */
export const argon2From = (derive: Derive): Argon2 => ({
  async hash(password) {
    const salt = randomBytes(saltLength);
    const hash = await derive(password, salt, { ...usualCost, length: hashLength });
    return textOf(salt, hash);
  },
  async verify(stored, password) {
    const { salt, hash, cost } = parse(stored);
    // No account has it, and the implementation in WebAssembly refuses it.
    if (password === "") return false;
    const made = await derive(password, salt, { ...cost, length: hash.length });
    return timingSafeEqual(made, hash);
  },
});

function textOf(salt: Buffer, hash: Uint8Array): string {
  const { memory, passes, lanes } = usualCost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${lanes}$${base64Of(salt)}$${base64Of(hash)}`;
}

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replaceAll("=", "");

interface Parsed {
  readonly salt: Buffer;
  readonly hash: Buffer;
  readonly cost: Cost;
}

const form =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d{0,2}),p=([1-9]\d{0,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** The parts of a PHC string. The error never says the text, which is a secret. */
function parse(text: string): Parsed {
  const [, memory, passes, lanes, salt = "", hash = ""] = form.exec(text) ?? [];
  const parsed = {
    salt: Buffer.from(salt, "base64"),
    hash: Buffer.from(hash, "base64"),
    cost: { memory: Number(memory), passes: Number(passes), lanes: Number(lanes) },
  };
  // Broken base64 is decoded without an error.
  const isWhole = base64Of(parsed.salt) === salt && base64Of(parsed.hash) === hash;
  if (!isWhole || parsed.salt.length < 8 || parsed.hash.length < 4)
    throw new Error("A stored hash of a password is not a PHC string of Argon2id.");
  return parsed;
}
