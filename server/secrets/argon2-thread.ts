// This program runs in a worker thread. It creates or verifies one password hash, and then ends.
import { randomBytes } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { argon2id, argon2Verify } from "hash-wasm";

/**
 * A task. With `stored`, the thread verifies the password. Otherwise, the thread creates a hash with the given
 * costs.
 */
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
