import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** A transport for both client libraries, over two streams: one JSON message per line. */
export interface StreamTransport<Message> {
  onmessage?: (message: Message) => void;
  onclose?: () => void;
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
}

export function streamTransport<Message>(input: Readable, output: Writable): StreamTransport<Message> {
  const transport: StreamTransport<Message> = {
    async start() {
      const lines = createInterface({ input });
      lines.on("line", (line) => transport.onmessage?.(JSON.parse(line)));
      lines.on("close", () => transport.onclose?.());
    },
    async send(message) {
      output.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      output.end();
    },
  };
  return transport;
}
