import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Argon2, Derive } from "./argon2.ts";
import { argon2From } from "./phc.ts";

/** Each thread takes 19 MiB and one core. */
const mostThreads = 2;

/** Argon2 in WebAssembly, which runs everywhere. `program` is the file of the thread that makes a hash. */
export function threadArgon2(program: string): Argon2 {
  const turn = turns(mostThreads);
  const derive: Derive = (password, salt, cost) => turn(() => deriveIn(program, { password, salt, cost }));
  return argon2From(derive);
}

/** A thread for each hash gives its memory back, and cannot leave another hash without an answer. */
async function deriveIn(program: string, workerData: object): Promise<Uint8Array> {
  const worker = new Worker(program, { workerData, env: {}, execArgv: [] });
  const [hash] = await Promise.race([once(worker, "message"), ended(worker)]);
  return hash;
}

async function ended(worker: Worker): Promise<never> {
  await once(worker, "exit");
  throw new Error("The thread that hashes a password ended without a hash.");
}

/** Lets so many tasks run at the same time. The others wait in turn. */
function turns(most: number) {
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
