import { once } from "node:events";
import { connect } from "node:net";

/** A connection on which a test can write any bytes. */
export interface RawConnection {
  write(bytes: string | Uint8Array): void;
  /** Everything that the server has sent, as soon as it contains `pattern` or the server has closed the connection. */
  read(pattern?: Pick<RegExp, "test">): Promise<string>;
  /** Resets the connection. */
  cut(): Promise<void>;
}

/** Connects to a server on this machine. */
export async function connectRaw(baseUrl: string): Promise<RawConnection> {
  const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  await once(socket, "connect");
  return {
    write: (bytes) => void socket.write(bytes),
    async read(pattern) {
      while (!socket.closed && !pattern?.test(received))
        await Promise.race([once(socket, "data"), once(socket, "close")]);
      return received;
    },
    async cut() {
      socket.resetAndDestroy();
      if (!socket.closed) await once(socket, "close");
    },
  };
}

/** The headers of a request. */
export const headOf = (method: string, path: string, headers: Record<string, string | number>): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;
