import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import { expect, it } from "vitest";
import { type EventConnection, sendEvents } from "../../server/http/answers.ts";

it("the server closes the event stream of a client that reads nothing after a limited number of bytes", async () => {
  let connection: EventConnection | undefined;
  let isClosed = false;
  const app = new Koa();
  app.use((ctx) =>
    sendEvents(ctx, {
      isEventStream: true,
      open(opened) {
        connection = opened;
        opened.onClose(() => {
          isClosed = true;
        });
      },
    }),
  );
  const server = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port }: AddressInfo = Object(server.address());
  const answer = await new Promise<IncomingMessage>((resolve) => {
    get({ port, host: "127.0.0.1" }, (received) => resolve(received.pause()));
  });
  answer.on("error", () => {});
  const chunk = "x".repeat(16_384);
  let chunks = 0;
  while (!isClosed && chunks < 10_000) {
    connection?.send(chunk);
    chunks += 1;
    await new Promise(setImmediate);
  }
  expect(isClosed).toBe(true);
  // A closed connection accepts no more text, and does not throw.
  connection?.send(chunk);
  connection?.end();
  await new Promise((resolve) => server.close(resolve));
});
