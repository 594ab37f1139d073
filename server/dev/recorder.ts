import type { IncomingMessage } from "node:http";
import type { Context, Middleware } from "koa";
import { redactHeaders, redactJson, redactText, redactUrl } from "../../src/client/redact.ts";
import type { Clock } from "../clock.ts";

/** A request and its answer, without secrets. */
export interface RecordedRequest {
  readonly id: string;
  /** The server's time when the request arrived. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly answerHeaders: Readonly<Record<string, string>>;
  readonly answerBody: string;
}

export interface Recorder {
  readonly record: Middleware;
  /** Returns the recorded requests, newest first. */
  list(): readonly RecordedRequest[];
  clear(): void;
}

const mostRequests = 200;

/**
 * Records the newest requests. Leaves out requests to the paths for which `ignored` returns true. (rule O16)
 */
export function createRecorder(clock: Clock, ignored: (path: string) => boolean): Recorder {
  let requests: readonly RecordedRequest[] = [];
  return {
    list: () => requests,
    clear() {
      requests = [];
    },
    async record(ctx, next) {
      if (ignored(ctx.req.url ?? "")) return next();
      const at = clock.now().toISOString();
      const started = performance.now();
      const body = tapBody(ctx.req);
      await next();
      const milliseconds = Math.round(performance.now() - started);
      requests = [recordedOf(ctx, { at, milliseconds, body: body() }), ...requests].slice(0, mostRequests);
    },
  };
}

interface Observed {
  readonly at: string;
  readonly milliseconds: number;
  readonly body: { readonly size: number; readonly bytes: Buffer | undefined };
}

function recordedOf(ctx: Context, { at, milliseconds, body }: Observed): RecordedRequest {
  const { req, res } = ctx;
  return {
    id: String(ctx.state.requestId),
    at,
    milliseconds,
    method: ctx.method,
    path: pathOf(req),
    status: ctx.status,
    headers: redactHeaders(textsOf(req.headers)),
    body: shownBody({ ...body, mediaType: mediaTypeIn(req.headers["content-type"]) }),
    answerHeaders: redactHeaders(textsOf(res.getHeaders())),
    answerBody: answerBody(ctx),
  };
}

function pathOf({ url = "" }: IncomingMessage): string {
  const base = "http://server.invalid";
  return URL.canParse(url, base) ? redactUrl(new URL(url, base)).slice(base.length) : "[not an address]";
}

function answerBody({ body, res }: Context): string {
  const mediaType = mediaTypeIn(res.getHeader("content-type"));
  if (body === undefined || body === null) return "";
  const isObject = typeof body === "object" && !Buffer.isBuffer(body) && !("pipe" in body);
  const bytes = isObject ? Buffer.from(JSON.stringify(body)) : bytesOf(body);
  if (bytes === undefined) return `[${mediaType}, as a stream]`;
  return shownBody({ mediaType, size: bytes.length, bytes: bytes.length > keptBytes ? undefined : bytes });
}

function bytesOf(body: unknown): Buffer | undefined {
  if (Buffer.isBuffer(body)) return body;
  return typeof body === "string" ? Buffer.from(body) : undefined;
}

const mediaTypeIn = (header: unknown): string =>
  String(header ?? "")
    .split(";", 1)[0]
    ?.trim()
    .toLowerCase() ?? "";

const textsOf = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Copies the bytes of a body while other code reads it. Returns a function that returns the bytes so far. */
function tapBody(request: IncomingMessage): () => Observed["body"] {
  const chunks: Buffer[] = [];
  let size = 0;
  const push = request.push.bind(request);
  // A `data` listener would start the stream too early, and the code that reads the body would lose bytes.
  request.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (Buffer.isBuffer(chunk)) {
      size += chunk.length;
      if (size > keptBytes) chunks.length = 0;
      else chunks.push(chunk);
    }
    return push(chunk, encoding);
  };
  return () => ({ size, bytes: size > keptBytes ? undefined : Buffer.concat(chunks) });
}

/** The maximum number of bytes of a body that are kept for the page. */
const keptBytes = 262_144;

/** The maximum number of characters of a body that the page shows. */
const shownLength = 16_384;

/** A body as it was sent, with its secrets. */
interface KeptBody {
  readonly mediaType: string;
  readonly size: number;
  /** All bytes, or undefined if they were more than `keptBytes`. */
  readonly bytes: Buffer | undefined;
}

/** Returns the text of a body for the page: without secrets, and only the beginning of a long body. (rule O16) */
function shownBody({ mediaType, size, bytes }: KeptBody): string {
  if (size === 0) return "";
  const note = `[${mediaType || "no media type"}, ${size} bytes]`;
  if (bytes === undefined) return note;
  if (/json/.test(mediaType)) return shortened(jsonText(bytes.toString("utf8")) ?? note);
  if (mediaType === "application/x-www-form-urlencoded") return shortened(formText(bytes.toString("latin1")));
  return mediaType === "text/plain" ? shortened(redactText(bytes.toString("utf8"))) : note;
}

function jsonText(text: string): string | undefined {
  try {
    return JSON.stringify(redactJson(JSON.parse(text)), undefined, 2);
  } catch {
    // The body is not JSON, so its secrets cannot be found, and it is not shown.
    return undefined;
  }
}

function formText(text: string): string {
  const fields = Object.fromEntries(new URLSearchParams(text));
  return JSON.stringify(redactJson(fields), undefined, 2);
}

const shortened = (text: string): string =>
  text.length <= shownLength
    ? text
    : `${text.slice(0, shownLength)}\n… ${text.length - shownLength} more characters`;
