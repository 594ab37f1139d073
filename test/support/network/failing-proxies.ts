import { type AddressInfo, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

const way = "HTTP/1.1 200 OK\r\n\r\n";
const noAnswer = () => {};

/** Twelve failures: what a proxy does with a connection after it has received something. */
export const failingProxies = {
  "hangs up": (socket) => socket.destroy(),
  "resets the connection": (socket) => socket.resetAndDestroy(),
  "stays silent": noAnswer,
  "refuses the way": (socket) => socket.end("HTTP/1.1 403 No\r\n\r\n"),
  "wants a name and a password": (socket) => socket.end("HTTP/1.1 407 Who\r\ncontent-length: 0\r\n\r\n"),
  "cannot reach the server": (socket) => socket.write("HTTP/1.1 502 Bad\r\ncontent-length: 3\r\n\r\nbad"),
  "speaks no HTTP": (socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"),
  "stops in the middle of a header": (socket) => socket.write("HTTP/1.1 200 O"),
  "sends headers without end": (socket) => drip(socket, "HTTP/1.1 200 OK\r\n", "x: y\r\n"),
  "opens the way and hangs up": (socket) => socket.end(way),
  "opens the way and stays silent": (socket) => socket.write(way),
  "opens the way to something without TLS": (socket) => socket.end(`${way}SSH-2.0-OpenSSH_9.9\r\n`),
} satisfies Record<string, (socket: Socket) => void>;

/** A proxy that sends its answer after the first bytes of each connection. */
export async function startProxy(answer: (socket: Socket) => void, asked = noAnswer) {
  let connections = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    open.add(socket);
    socket.on("error", noAnswer).on("close", () => open.delete(socket));
    socket.once("data", () => {
      asked();
      answer(socket);
    });
  });
  const { port } = await listening(server);
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
  });
  return { address: `http://127.0.0.1:${port}`, connections: () => connections, open: () => open.size };
}

async function listening(server: ReturnType<typeof createServer>): Promise<AddressInfo> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (typeof address === "object" && address !== null) return address;
  throw new Error("No port was given.");
}

function drip(socket: Socket, first: string, next: string): void {
  socket.write(first);
  const drops = setInterval(() => socket.write(next), 10);
  socket.on("close", () => clearInterval(drops));
}
