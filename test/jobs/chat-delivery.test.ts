import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { postToChat } from "../../server/feedback/chat/worker.ts";

async function post(server: Server): Promise<void> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return postToChat({ url: `http://127.0.0.1:${port}/hook`, payload: "{}", privateAllowed: true });
}

const answering = (answer: RequestListener) => createServer(answer);

describe("a message to a chat channel", () => {
  afterEach(() => void vi.useRealTimers());

  it("is delivered when the status of the answer arrives, even if the answer never ends", async () => {
    await post(answering((_, response) => void response.writeHead(200).write("o")));
  });

  it("is not delivered if the channel refuses it, even if the answer never ends", async () => {
    const delivery = post(answering((_, response) => void response.writeHead(403).write("n")));
    await expect(delivery).rejects.toThrow("The chat answered 403");
  });

  it("is given up after ten seconds, even if the channel continues to send bytes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let asked = false;
    const dripping = createTcpServer((socket) => {
      socket.on("error", () => {});
      const drip = setInterval(() => socket.write("X-Slow: 1\r\n"), 100);
      socket.on("close", () => clearInterval(drip));
      socket.once("data", () => {
        asked = socket.write("HTTP/1.1 200 OK\r\n");
      });
    });
    const delivery = expect(post(dripping)).rejects.toThrow("The chat did not answer in time");
    while (!asked) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(10_000);
    await delivery;
  });
});
