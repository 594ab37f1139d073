import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import type { DemoServer } from "./demo-server.ts";
import { type Program, startBare } from "./programs.ts";
import { type Figure, median } from "./table.ts";

const MB = 1_048_576;
const rounds = 3;

/** Eight of the largest reports at once: their time compared with a copy of the same bytes to disk, and the memory. */
export async function measureUploads(demo: DemoServer, folder: string): Promise<Figure[]> {
  const idle = residentMegabytes(demo.program);
  const watch = watchMemory(demo.program);
  const pairs = await timePairs(demo, folder).finally(watch.stop);
  const peak = watch.stop();
  const detail = `${median(pairs.map(({ ours }) => ours)).toFixed(0)} ms of ${median(pairs.map(({ bare }) => bare)).toFixed(0)} ms`;
  return [
    {
      name: "eight reports of 54.7 MiB",
      value: median(pairs.map(({ ours, bare }) => ours / bare)),
      unit: "x copy",
      goal: ["<=", 1.5],
      detail,
    },
    {
      name: "their memory over idle",
      value: peak - idle,
      unit: "MB",
      goal: ["<=", 80],
      detail: `${peak.toFixed(0)} MB peak, ${idle.toFixed(0)} MB idle`,
    },
  ];
}

async function timePairs(demo: DemoServer, folder: string) {
  const copy = await startBare("bare-copy", { FOLDER: folder });
  const pairs: { ours: number; bare: number }[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const bodies = Array.from({ length: 8 }, largestReport);
      const bare = await timeAll(copy.port, "/", {}, bodies);
      const ours = await timeAll(demo.port, "/api/v1/feedback/remote", { "x-api-key": demo.apiKey }, bodies);
      pairs.push({ ours, bare });
    }
  } finally {
    await copy.stop();
  }
  return pairs;
}

/** The JSON of a report with the maximum number and size of files. All files differ. */
function largestReport(): Buffer {
  const png = () => file("image/png", pngHead, 2 * MB);
  const mp4 = () => file("video/mp4", mp4Head, 10 * MB);
  const attachment = () => ({ name: "log.pdf", data: file("application/pdf", pdfHead, 5 * MB) });
  return Buffer.from(
    JSON.stringify({
      type: "bug",
      message: "All there is.",
      images: [png(), png(), png()],
      videos: [mp4(), mp4()],
      attachments: [attachment(), attachment(), attachment()],
    }),
  );
}

const pngHead = Buffer.from("89504e470d0a1a0a0000000d49484452000001000000010008060000005c72a866", "hex");
const mp4Head = Buffer.from("000000186674797069736f6d0000020069736f6d69736f32", "hex");
const pdfHead = Buffer.from("%PDF-1.7\n");

/** A file of that size, different each time: a server that already has these bytes would do less work. */
function file(type: string, head: Buffer, size: number): string {
  const mark = randomBytes(16);
  const filling = Buffer.alloc(size - head.length - mark.length, 7);
  return `data:${type};base64,${Buffer.concat([head, filling, mark]).toString("base64")}`;
}

async function timeAll(
  port: number,
  path: string,
  headers: Record<string, string>,
  bodies: readonly Buffer[],
): Promise<number> {
  const started = performance.now();
  await Promise.all(bodies.map((body) => send(port, path, headers, body)));
  return performance.now() - started;
}

function send(port: number, path: string, headers: Record<string, string>, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const all = { ...headers, "Content-Type": "application/json", "Content-Length": body.length };
    // Each request has a new connection, because the server may have closed an open one while the next bodies were
    // created.
    const target = { port, host: "127.0.0.1", method: "POST", path, headers: all, agent: false };
    const outgoing = request(target, (answer) => {
      answer.resume();
      const { statusCode = 0 } = answer;
      answer.on("end", () =>
        statusCode < 300 ? resolve() : reject(new Error(`A report was answered ${statusCode}`)),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function watchMemory(program: Program) {
  let peak = 0;
  const look = () => {
    peak = Math.max(peak, residentMegabytes(program));
  };
  const timer = setInterval(look, 10);
  return {
    stop() {
      clearInterval(timer);
      look();
      return peak;
    },
  };
}

/** Resident memory of a process in MB; on systems that report it. */
function residentMegabytes({ pid }: Program): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024;
}
