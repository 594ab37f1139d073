import crypto from "node:crypto";
import { promisify } from "node:util";
import type { Argon2, Derive } from "./argon2.ts";
import { argon2From } from "./phc.ts";

/** Argon2 of Node 24.7 or newer, or undefined if this Node has none. It works in Node's pool of threads. */
export async function nodeArgon2(): Promise<Argon2 | undefined> {
  try {
    // A Node that is linked with an old OpenSSL has the function, but it fails.
    await derive("probe", Buffer.alloc(16), { memory: 8, passes: 1, lanes: 1, length: 4 });
    return argon2From(derive);
  } catch {
    return undefined;
  }
}

const derive: Derive = (message, nonce, { memory, passes, lanes, length }) =>
  promisify(crypto.argon2)("argon2id", {
    message,
    nonce,
    memory,
    passes,
    parallelism: lanes,
    tagLength: length,
  });
