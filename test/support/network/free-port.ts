import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * A free port of 127.0.0.1 below those that systems give to outgoing connections and to servers that name no port.
 * Nothing else takes it before its program listens, or while that program starts again.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
