import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { normalised } from "../../src/contract/json.ts";
import type { ArgonTask } from "./argon2-thread.ts";

/**
 * No password has this hash. For unknown accounts, the server compares with this hash, so the answer takes
 * equally long.
 */
const decoy = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

/** Normalises an e-mail address. Accounts are stored and found with addresses in this form. */
export const normaliseEmail = (email: string): string =>
  // Normalised again, because some letters (ǰ) are one character in lower case, but two in upper case.
  normalised(normalised(email.trim(), "NFC").toLowerCase(), "NFC");

/** Returns the Argon2id hash of a password in the format that is stored. (rule S1) */
export async function hashPassword(password: string): Promise<string> {
  const { argon2 } = await chosenArgon2();
  return argon2.hash(password.normalize("NFC"));
}

/** Whether the password belongs to the stored hash. Takes the same time without a stored hash. */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  const { argon2 } = await chosenArgon2();
  const matches = await argon2.verify(stored || decoy, password.normalize("NFC"));
  return matches && stored !== undefined && stored !== "";
}

/**
 * Returns a warning for the log if this installation cannot use the fastest implementation of password hashes;
 * otherwise undefined.
 */
export async function passwordWarning(): Promise<string | undefined> {
  const { warning } = await chosenArgon2();
  return warning;
}

declare const BUILT_FOLDER: string;

/** An implementation of password hashes. All implementations use the same format: PHC strings of Argon2id. */
export interface Argon2 {
  hash(password: string): Promise<string>;
  /** Returns whether `stored` is the hash of the password. Rejects if `stored` is not an Argon2id hash. */
  verify(stored: string, password: string): Promise<boolean>;
}

interface Chosen {
  readonly argon2: Argon2;
  /** The warning for the operator if this is not the fastest implementation. */
  readonly warning?: string;
}

let chosen: Promise<Chosen> | undefined;

/** Returns the fastest implementation that is installed. The search for it runs only once. */
function chosenArgon2(): Promise<Chosen> {
  chosen ??= choose();
  return chosen;
}

async function choose(): Promise<Chosen> {
  const native = await nativeArgon2();
  if (native) return { argon2: native };
  const warning =
    "Passwords are hashed by WebAssembly, two at a time. This is slower. The reason is that the native part of @node-rs/argon2 for " +
    `${process.platform}-${process.arch} is not installed. Install innkeep without --omit=optional.`;
  return { argon2: threadArgon2(`${BUILT_FOLDER}/argon2-thread.cjs`), warning };
}

/** The minimum costs for Argon2id that OWASP recommends: 19 MiB, two passes, no parallel work. */
const memoryKib = 19_456;

const passes = 2;

const lanes = 1;

/** Returns the implementation of `@node-rs/argon2`; undefined if its native part is not installed. */
export async function nativeArgon2(): Promise<Argon2 | undefined> {
  try {
    const { hash, verify } = await import("@node-rs/argon2");
    const options = { memoryCost: memoryKib, timeCost: passes, parallelism: lanes };
    return { hash: (password) => hash(password, options), verify };
  } catch {
    return undefined;
  }
}

/** How many worker threads may run at the same time. Each thread needs 19 MiB of memory and one core. */
const mostThreads = 2;

/**
 * Returns an implementation that runs `hash-wasm` in worker threads, on every system. `program` is the built
 * `argon2-thread.ts`.
 */
export function threadArgon2(program: string): Argon2 {
  const inTurn = createTurns(mostThreads);
  const ask = (task: ArgonTask) => inTurn(() => askThread(program, task));
  return {
    hash: async (password) => String(await ask({ password, memoryKib, passes, lanes })),
    // `hash-wasm` throws an error for an empty password. No account has an empty password.
    verify: async (stored, password) => password !== "" && (await ask({ password, stored })) === true,
  };
}

/**
 * Starts a worker thread for one task. The end of the thread frees its memory. A failed thread affects no other
 * task.
 */
async function askThread(program: string, workerData: ArgonTask): Promise<unknown> {
  const worker = new Worker(program, { workerData, env: {}, execArgv: [] });
  const [answer] = await Promise.race([once(worker, "message"), ended(worker)]);
  return answer;
}

async function ended(worker: Worker): Promise<never> {
  await once(worker, "exit");
  throw new Error("The worker thread that hashes a password ended without an answer.");
}

/** Runs at most `most` tasks at the same time. The others wait in the order of the calls. */
function createTurns(most: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (running === most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
