import { openSync, readSync } from "node:fs";
import { createServer } from "node:http";
import { isMainThread } from "node:worker_threads";

// A part of a measured server: Node loads it before the program. It answers at a socket of its own, and a request begins
// a new measurement. The loop is woken each millisecond, so a difference is the processor time of one turn.

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
}

/** Reads the processor time of the main thread until now, in milliseconds. Linux tells it; else it is NaN. */
function mainThreadTime(): () => number {
  if (process.platform !== "linux") return () => Number.NaN;
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  const buffer = Buffer.alloc(100);
  return () => Number(buffer.toString("latin1", 0, readSync(file, buffer, 0, 100, 0)).split(" ")[0]) / 1e6;
}
