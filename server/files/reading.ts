import { Readable } from "node:stream";
import { type ByteSpan, FilesUnavailable } from "./files.ts";
import type { SendToS3 } from "./s3-request.ts";

const mostFailures = 3;

/**
 * Reads an object, or a span of it, as fast as the reader of the stream takes it. If the connection ends early, it asks
 * for the rest. Rejects if there is no such object.
 */
export async function readObject(send: SendToS3, name: string, span?: ByteSpan): Promise<Readable> {
  const first = await request(send, name, span);
  let at = span?.start ?? 0;
  const end = span?.end ?? Number(first.headers["content-length"]) - 1;
  let { body } = first;
  let isClosed = false;

  async function* bytes() {
    for (let failures = 0; ; ) {
      try {
        for await (const chunk of body) {
          at += chunk.length;
          failures = 0;
          yield chunk;
        }
        if (at > end) return;
        throw new Error("The store has ended its answer early");
      } catch (error) {
        failures += 1;
        if (isClosed) return;
        if (failures > mostFailures) throw new FilesUnavailable(error);
      }
      ({ body } = await request(send, name, { start: at, end }));
      if (isClosed) body.destroy();
    }
  }

  const stream = Readable.from(bytes(), { objectMode: false });
  return stream.once("close", () => {
    isClosed = true;
    body.destroy();
  });
}

async function request(send: SendToS3, name: string, span?: ByteSpan) {
  const headers: Record<string, string> = span ? { range: `bytes=${span.start}-${span.end}` } : {};
  const answer = await send({ method: "GET", name, headers });
  if (answer.status === (span ? 206 : 200)) {
    // An error without a listener would end the process. The reader of the body gets it, too.
    answer.body.on("error", () => {});
    return answer;
  }
  answer.body.destroy();
  if (answer.status === 404) throw new Error("There is no such file");
  throw new FilesUnavailable(new Error("The store has answered without the span of bytes"));
}
