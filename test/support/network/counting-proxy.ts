import { connect, createServer } from "node:net";
import { onTestFinished } from "vitest";

export interface CountingProxy {
  readonly port: number;
  /** How many times PostgreSQL has said that it is ready for the next message, on all connections. */
  answers(): number;
}

/** A proxy in front of a PostgreSQL on this machine that counts its answers, until the test has finished. */
export async function countingProxy(target: number): Promise<CountingProxy> {
  let answers = 0;
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    near.pipe(far);
    far.pipe(near);
    let rest = Buffer.alloc(0);
    far.on("data", (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      // Each message is a letter, the length of what follows including the length, and that.
      while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
        if (rest.toString("latin1", 0, 1) === "Z") answers += 1;
        rest = rest.subarray(1 + rest.readInt32BE(1));
      }
    });
    for (const socket of [near, far]) socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    answers: () => answers,
  };
}
