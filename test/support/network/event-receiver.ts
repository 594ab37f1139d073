import { createServer, type IncomingHttpHeaders } from "node:http";
import { Webhook } from "standardwebhooks";
import { onTestFinished } from "vitest";
import { fieldsOf } from "../../../src/contract/json.ts";

/** A message as it arrived. */
export interface ReceivedMessage {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A receiver of events on this machine. */
export interface EventReceiver {
  url: string;
  readonly received: ReceivedMessage[];
  /** The status codes of the next answers, in order; then 200. `hang` never answers. */
  readonly answers: (number | "hang")[];
  /** The text of the answers. */
  text: string;
}

/** Starts a receiver of events, which runs until the test has finished. */
export async function startReceiver(): Promise<EventReceiver> {
  const { receiver, stop } = await openReceiver();
  onTestFinished(stop);
  return receiver;
}

/** Starts a receiver of events, which runs until `stop` is called. */
export async function openReceiver(): Promise<{
  readonly receiver: EventReceiver;
  readonly stop: () => void;
}> {
  const received: ReceivedMessage[] = [];
  const answers: EventReceiver["answers"] = [];
  const receiver = { url: "", received, answers, text: "thanks" };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString();
    const { type, data } = fieldsOf(JSON.parse(raw));
    receiver.received.push({
      ...{ id: String(request.headers["webhook-id"]), headers: request.headers, raw },
      ...{ type: String(type), data: fieldsOf(data) },
    });
    const status = receiver.answers.shift() ?? 200;
    if (status === "hang") return;
    response.statusCode = status;
    response.setHeader("Location", "http://127.0.0.1:9/elsewhere");
    response.end(receiver.text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  receiver.url = `http://127.0.0.1:${port}/hook/secret-path`;
  return {
    receiver,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Verifies a message with the library of Standard Webhooks. Throws for a message that it refuses. */
export const verified = (
  secret: string,
  { headers, raw }: Pick<ReceivedMessage, "headers" | "raw">,
): unknown =>
  new Webhook(secret).verify(raw, {
    "webhook-id": String(headers["webhook-id"]),
    "webhook-timestamp": String(headers["webhook-timestamp"]),
    "webhook-signature": String(headers["webhook-signature"]),
  });
