import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";

/** Returns the SHA-256 of a file in hex. A worker thread hashes large files, so that requests do not wait. */
export async function hashFile(path: string, size: number): Promise<string> {
  if (size > smallFile) return hashOnThread(path);
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}

const smallFile = 262_144;

interface Job {
  readonly resolve: (sha256: string) => void;
  readonly reject: (error: unknown) => void;
}

// The code of the worker thread is a string, so that the whole server can be bundled into one file.
const threadProgram = `
const { createHash } = require("node:crypto");
const { closeSync, openSync, readSync } = require("node:fs");
const { parentPort } = require("node:worker_threads");
const piece = Buffer.allocUnsafe(65536);

function hash(path) {
  const descriptor = openSync(path);
  try {
    const sha256 = createHash("sha256");
    for (let length; (length = readSync(descriptor, piece)) > 0; ) sha256.update(piece.subarray(0, length));
    return sha256.digest("hex");
  } finally {
    closeSync(descriptor);
  }
}

parentPort.on("message", (path) => {
  try {
    parentPort.postMessage({ sha256: hash(path) });
  } catch (error) {
    parentPort.postMessage({ error });
  }
});
`;

interface Thread {
  hash(path: string): Promise<string>;
}

let thread: Thread | undefined;

function hashOnThread(path: string): Promise<string> {
  thread ??= startThread();
  return thread.hash(path);
}

// The worker thread hashes one file after another, so the answers arrive in the order of the jobs.
function startThread(): Thread {
  const jobs: Job[] = [];
  const worker = new Worker(threadProgram, {
    eval: true,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  });
  worker.on("message", (answer: { sha256: string } | { error: unknown }) => {
    const job = jobs.shift();
    if (jobs.length === 0) worker.unref();
    if ("sha256" in answer) job?.resolve(answer.sha256);
    else job?.reject(answer.error);
  });
  worker.on("error", (error) => {
    thread = undefined;
    for (const job of jobs.splice(0)) job.reject(error);
  });
  return {
    hash: (path) =>
      new Promise((resolve, reject) => {
        jobs.push({ resolve, reject });
        worker.ref();
        worker.postMessage(path);
      }),
  };
}

/** Returns the SHA-256 of all chunks, in hex. */
export async function hashOfStream(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
}
