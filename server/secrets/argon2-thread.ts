// The program of a thread: it makes or verifies one hash and ends.
import { randomBytes } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { argon2id, argon2Verify } from "hash-wasm";

/** What a thread is asked for: a new hash with its cost, or whether a stored one fits. */
export type ArgonTask =
  | { readonly password: string; readonly stored: string }
  | {
      readonly password: string;
      readonly memoryKib: number;
      readonly passes: number;
      readonly lanes: number;
    };

async function answer(task: ArgonTask): Promise<string | boolean> {
  const { password } = task;
  if ("stored" in task) return argon2Verify({ password, hash: task.stored });
  return argon2id({
    password,
    salt: randomBytes(16),
    memorySize: task.memoryKib,
    iterations: task.passes,
    parallelism: task.lanes,
    hashLength: 32,
    outputType: "encoded",
  });
}

void answer(workerData).then((result) => parentPort?.postMessage(result));
