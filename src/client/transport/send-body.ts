import type { Writable } from "node:stream";
import type { Content } from "../calls/call.ts";
import type { WireRequest } from "./wire.ts";

/** Writes the body of a request as fast as the network takes it, reports the progress, and ends the request. */
export async function sendBody(
  outgoing: Writable,
  { body, onProgress }: Pick<WireRequest, "body" | "onProgress">,
): Promise<void> {
  if (body === undefined || typeof body === "string") {
    outgoing.end(body);
    return;
  }
  for await (const chunk of measured(body, onProgress)) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(chunk)) await drained(outgoing);
  }
  outgoing.end();
}

/**
 * The chunks of a content. Reports each to `onProgress`. Throws if the content has not as many bytes as announced.
 */
export async function* measured(
  content: Content,
  onProgress: WireRequest["onProgress"],
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const chunk of content.read()) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    sent += bytes.length;
    if (sent > content.bytes) throw wrongLength(sent, content);
    yield bytes;
    onProgress?.(sent, content.bytes);
  }
  if (sent < content.bytes) throw wrongLength(sent, content);
}

const wrongLength = (sent: number, { bytes }: Content) =>
  new Error(`The body has ${sent} bytes, not the ${bytes} it announced.`);

const drained = (outgoing: Writable): Promise<void> =>
  new Promise((resolve) => {
    const goOn = () => {
      outgoing.off("drain", goOn).off("close", goOn);
      resolve();
    };
    outgoing.on("drain", goOn).on("close", goOn);
  });
