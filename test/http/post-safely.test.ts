import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { postSafely } from "../../server/http/post-safely.ts";
import { freePort } from "../support/network/free-port.ts";

const receivers = ["webhook", "chat", "push service"] as const;

const post = (port: number, receiver: (typeof receivers)[number]) =>
  postSafely({
    ...{ url: `http://127.0.0.1:${port}/secret`, receiver, body: "{}" },
    ...{ reach: "all", timeLimitMs: 10_000 },
  });

/** Starts a server that changes each connection to another protocol. */
async function startUpgradingServer(): Promise<number> {
  const server = createServer().on("connection", (socket) =>
    socket.once("data", () =>
      socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n"),
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe.each(receivers)("an error of a post to a %s", (receiver) => {
  it("names the receiver if it cannot be reached", async () => {
    const failing = post(await freePort(), receiver);
    await expect(failing).rejects.toThrow(new RegExp(`^The ${receiver} cannot be reached \\(`));
  });

  it("names the receiver if it does not answer in HTTP", async () => {
    const failing = post(await startUpgradingServer(), receiver);
    await expect(failing).rejects.toThrow(`The ${receiver} switched to another protocol and gave no answer`);
  });
});
