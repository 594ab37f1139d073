import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface StoppableProxy {
  readonly port: number;
  /** From now on it accepts connections and bytes, and forwards none. */
  stop(): void;
  resume(): void;
  /** From now on it delays all bytes by this time. */
  delay(milliseconds: number): void;
}

/** Calls a function when a test has finished. Tests that run at the same time each need their own one. */
export type FinishedHook = (then: () => Promise<void> | void) => void;

/** A TCP proxy in front of a server on this machine, until the test has finished. */
export async function stoppableProxy(
  target: number,
  onFinished: FinishedHook = onTestFinished,
): Promise<StoppableProxy> {
  const sockets = new Set<Socket>();
  let stopped = false;
  let delayMs = 0;
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      sockets.add(from);
      if (stopped) from.pause();
      const inTurn = inOrder();
      from.on("data", (bytes) => inTurn(() => void to.write(bytes), delayMs));
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        inTurn(() => to.destroy(), delayMs);
      });
    }
    if (stopped) for (const socket of [near, far]) socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const each = (how: "pause" | "resume") => {
    stopped = how === "pause";
    for (const socket of sockets) socket[how]();
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    stop: () => each("pause"),
    resume: () => each("resume"),
    delay: (milliseconds) => {
      delayMs = milliseconds;
    },
  };
}

/** Calls functions after a delay, always in their order, even if the delay becomes shorter. */
function inOrder() {
  let waiting = 0;
  let last = Promise.resolve();
  return (call: () => void, delayMs: number) => {
    if (waiting === 0 && delayMs === 0) return call();
    waiting += 1;
    const due = new Promise((resolve) => setTimeout(resolve, delayMs));
    last = Promise.all([last, due]).then(() => {
      waiting -= 1;
      call();
    });
  };
}
