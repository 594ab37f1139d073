import { readdir, readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Connections of a hostile client that never closes its side. */
export interface HostileConnections {
  /** The number of connections that the server has not closed, as the client sees it. */
  open(): number;
  /** The received bytes of each connection, as text. */
  received(): string[];
  /** Sends bytes on all of them. */
  send(bytes: string | Uint8Array): void;
  /** Closes them. */
  release(): void;
}

/** Opens `count` connections, sends `bytes` on each, and keeps them open. The server may have closed some already. */
export async function holdConnections(
  baseUrl: string,
  count: number,
  bytes: string | Uint8Array = "",
): Promise<HostileConnections> {
  const port = Number(new URL(baseUrl).port);
  const sockets: Socket[] = [];
  const texts: string[] = [];
  const release = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(release);
  const openOne = (at: number) =>
    new Promise<void>((resolve) => {
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      texts[at] = "";
      socket.on("data", (chunk: Buffer) => {
        texts[at] += chunk.toString("latin1");
      });
      socket.on("error", () => resolve());
      socket.on("close", () => resolve());
      socket.once("connect", () => {
        if (bytes.length > 0) socket.write(bytes);
        resolve();
      });
      sockets.push(socket);
    });
  // In parts, because the backlog of a listening socket is short.
  for (let at = 0; at < count; at += 100)
    await Promise.all(Array.from({ length: Math.min(100, count - at) }, (_, n) => openOne(at + n)));
  return {
    open: () => sockets.filter((socket) => !socket.readableEnded && !socket.destroyed).length,
    received: () => texts,
    send: (more) => {
      for (const socket of sockets) if (socket.writable) socket.write(more);
    },
    release,
  };
}

/** The number of open descriptors of a process. Linux only. */
export const descriptorsOf = async (pid: number): Promise<number> =>
  (await readdir(`/proc/${pid}/fd`)).length;

/** The resident memory of a process in MiB. Linux only. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

/** The 99th percentile of the times. */
export const p99 = (milliseconds: readonly number[]): number =>
  milliseconds.toSorted((a, b) => a - b)[Math.ceil(milliseconds.length * 0.99) - 1] ?? 0;

/** Runs `work` repeatedly, one run after the other, until `during` ends. Returns the time of each run. */
export async function timesOf(work: () => Promise<unknown>, during: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let over = false;
  const ending = during.finally(() => {
    over = true;
  });
  while (!over) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  await ending;
  return times;
}
