// The program of a thread: it makes one hash and ends.
import { parentPort, workerData } from "node:worker_threads";
import { argon2id } from "hash-wasm";

const { password, salt, cost } = workerData;

void argon2id({
  password,
  salt,
  memorySize: cost.memory,
  iterations: cost.passes,
  parallelism: cost.lanes,
  hashLength: cost.length,
  outputType: "binary",
}).then((hash) => parentPort?.postMessage(hash));
