import { createServer } from "node:http";
import { onTestFinished } from "vitest";

export interface Webhook {
  readonly url: string;
  /** The bodies received so far. */
  readonly received: unknown[];
  /** The status codes of the next answers, in order; then 200. */
  readonly answers: number[];
  /** Sends no answer until `released` resolves. */
  hold(released: Promise<void>): void;
}

/** An incoming webhook like those of chat services, on this machine, until the test has finished. */
export async function startWebhook(): Promise<Webhook> {
  const received: unknown[] = [];
  const answers: number[] = [];
  let held = Promise.resolve();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push(JSON.parse(Buffer.concat(chunks).toString()));
    await held;
    response.statusCode = answers.shift() ?? 200;
    response.setHeader("Location", "http://127.0.0.1:9/elsewhere");
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const hold = (released: Promise<void>) => {
    held = released;
  };
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/hook/secret-path`, received, answers, hold };
}
