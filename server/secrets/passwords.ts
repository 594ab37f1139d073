import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { ArgonTask } from "./argon2-thread.ts";

/** A hash of no password, with the usual cost. It is verified if there is no account, so that the time does not show whether there is one. */
const decoy = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

/** The one spelling of an e-mail address under which its account is stored. */
export const normaliseEmail = (email: string): string =>
  // Lower-case letters may compose although their capitals do not, for example ǰ.
  email.trim().normalize("NFC").toLowerCase().normalize("NFC");

/** The Argon2id hash of a password, in the form that is stored. */
export async function hashPassword(password: string): Promise<string> {
  const { argon2 } = await chosenArgon2();
  return argon2.hash(password.normalize("NFC"));
}

/** Whether the password has this hash. Takes as long if there is no hash. */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  const { argon2 } = await chosenArgon2();
  const matches = await argon2.verify(stored || decoy, password.normalize("NFC"));
  return matches && stored !== undefined && stored !== "";
}

/** A sentence for the log, if hashes are made slower than this machine could make them. */
export async function passwordWarning(): Promise<string | undefined> {
  const { warning } = await chosenArgon2();
  return warning;
}

declare const BUILT_FOLDER: string;

/** An implementation of the hashes of passwords. All make and read the same texts: PHC strings of Argon2id. */
export interface Argon2 {
  hash(password: string): Promise<string>;
  /** Whether the text is the hash of the password. Rejects a text that is not a hash of this kind. */
  verify(stored: string, password: string): Promise<boolean>;
}

interface Chosen {
  readonly argon2: Argon2;
  /** What an operator may want to know, if this is not the fastest implementation. */
  readonly warning?: string;
}

let chosen: Promise<Chosen> | undefined;

/** The fastest implementation that this installation has. It is looked for once. */
function chosenArgon2(): Promise<Chosen> {
  chosen ??= choose();
  return chosen;
}

async function choose(): Promise<Chosen> {
  const native = await nativeArgon2();
  if (native) return { argon2: native };
  const warning =
    "Passwords are hashed by WebAssembly in threads, two at a time, which is slower, because the part of @node-rs/argon2 for " +
    `${process.platform}-${process.arch} is not installed: install innkeep without --omit=optional.`;
  return { argon2: threadArgon2(`${BUILT_FOLDER}/argon2-thread.cjs`), warning };
}

/** OWASP's minimum for Argon2id: 19 MiB, two passes, one lane. */
const memoryKib = 19_456;

const passes = 2;

const lanes = 1;

/** The package `@node-rs/argon2`, or undefined if its native part is not installed. */
export async function nativeArgon2(): Promise<Argon2 | undefined> {
  try {
    const { hash, verify } = await import("@node-rs/argon2");
    const options = { memoryCost: memoryKib, timeCost: passes, parallelism: lanes };
    return { hash: (password) => hash(password, options), verify };
  } catch {
    return undefined;
  }
}

/** Each thread takes 19 MiB and one core. */
const mostThreads = 2;

/** The package `hash-wasm` in threads, which runs everywhere. `program` is the built file of `argon2-thread.ts`. */
export function threadArgon2(program: string): Argon2 {
  const inTurn = createTurns(mostThreads);
  const ask = (task: ArgonTask) => inTurn(() => askThread(program, task));
  return {
    hash: async (password) => String(await ask({ password, memoryKib, passes, lanes })),
    // No account has an empty password, and the package refuses it.
    verify: async (stored, password) => password !== "" && (await ask({ password, stored })) === true,
  };
}

/** A thread for each task gives its memory back, and cannot leave another task without an answer. */
async function askThread(program: string, workerData: ArgonTask): Promise<unknown> {
  const worker = new Worker(program, { workerData, env: {}, execArgv: [] });
  const [answer] = await Promise.race([once(worker, "message"), ended(worker)]);
  return answer;
}

async function ended(worker: Worker): Promise<never> {
  await once(worker, "exit");
  throw new Error("The thread that hashes a password ended without an answer.");
}

/** Lets so many tasks run at the same time. The others wait in turn. */
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
