import type { IncomingMessage } from "node:http";
import { ApiError } from "../../src/contract/errors.ts";
import { limits } from "../../src/contract/limits.ts";
import { parseStrictJson } from "./strict-json.ts";

/**
 * The JSON value of a request's body; `{}` where there is none. Throws `unsupported_media_type` for anything but
 * JSON, `payload_too_large` over 1 MiB, `bad_request` for a body that was cut, UploadFailure for malformed JSON.
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const bytes = await readBytes(request, limits.json);
  if (bytes.length === 0) return {};
  if (mediaTypeOf(request) !== "application/json") throw new ApiError("unsupported_media_type");
  return parseStrictJson(bytes);
}

export const mediaTypeOf = (request: IncomingMessage): string =>
  (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** The bytes of a body of at most `most`. Throws `payload_too_large`, and `bad_request` for one that was cut. */
export function readBytes(request: IncomingMessage, most: number): Promise<Buffer> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > most) return Promise.reject(new ApiError("payload_too_large"));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > most) reject(new ApiError("payload_too_large"));
      else chunks.push(chunk);
    });
    request.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", (cause) => reject(malformed("was cut off", cause)));
    request.on("close", () => {
      // An error is dear to make, and nobody hears of it once the whole body is there.
      if (!request.complete) reject(malformed("was cut off"));
    });
  });
}

const malformed = (message: string, cause?: unknown) =>
  new ApiError("bad_request", { issues: [{ path: "", message: `The body ${message}` }] }, { cause });
