import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type LoadTarget, requestText } from "./load.ts";

/** A connection that stays open between requests, as with every client of the server. */
export interface KeptConnection {
  /** Sends a request, and returns the body of its answer. One request at a time. */
  send(target: Omit<LoadTarget, "port">): Promise<string>;
  close(): void;
}

/**
 * Opens a connection that does as little as possible for a request, because a measured time includes it: `fetch` takes a
 * millisecond and more.
 */
export async function keepConnection(port: number): Promise<KeptConnection> {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  let text = "";
  let settle: { resolve(body: string): void; reject(error: Error): void } | undefined;
  socket.setEncoding("latin1");
  socket.on("error", (error) => settle?.reject(error));
  socket.on("close", () => settle?.reject(new Error("The server has closed the connection.")));
  socket.on("data", (chunk: string) => {
    text += chunk;
    const body = bodyOf(text);
    if (body === undefined) return;
    const { resolve, reject } = settle ?? {};
    if (/^HTTP\/1\.1 2/.test(text)) resolve?.(Buffer.from(body, "latin1").toString());
    else reject?.(new Error(`The server answered ${text.slice(0, 200)}`));
    text = "";
  });
  while (socket.connecting) await sleep(1);
  return {
    send: (target) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        socket.write(requestText(target, target.body));
      }),
    close: () => socket.destroy(),
  };
}

/** The body of an answer, once it has arrived completely. */
function bodyOf(text: string): string | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
  const body = text.slice(end + 4);
  return body.length >= length ? body : undefined;
}
