import { openSync, readSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { isMainThread } from "node:worker_threads";

// A part of a measured server: Node loads it before the program. It answers on a separate socket, and each request
// there begins a new measurement. A timer runs each millisecond, so the difference between two readings is the
// processor time of one turn.

const socket = process.env.BENCH_TURNS;
if (socket !== undefined && isMainThread) watch(socket);

function watch(path: string): void {
  const readTime = mainThreadTime();
  let longest = 0;
  let before = readTime();
  setInterval(() => {
    const now = readTime();
    longest = Math.max(longest, now - before);
    before = now;
  }, 1).unref();
  const server = createServer((_, answer) => {
    answer.end(String(longest));
    longest = 0;
    before = readTime();
  });
  server.listen(path).unref();
  process.once("exit", () => rmSync(path, { force: true }));
}

/**
 * Reads the processor time of the main thread until now, in milliseconds. Its accuracy is one to four milliseconds. NaN
 * on systems other than Linux.
 */
function mainThreadTime(): () => number {
  const file = openIfThere(`/proc/self/task/${process.pid}/schedstat`);
  if (file === undefined) return () => Number.NaN;
  const buffer = Buffer.alloc(100);
  return () => Number(buffer.toString("latin1", 0, readSync(file, buffer, 0, 100, 0)).split(" ")[0]) / 1e6;
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch {
    return undefined;
  }
}
