import { Readable } from "node:stream";
import type { Context, Middleware } from "koa";
import { ApiError } from "../../src/contract/errors.ts";
import { cleanFileName, nameFor } from "../files/file-names.ts";
import type { ByteSpan, Files } from "../files/files.ts";
import type { Settings } from "../settings/settings.ts";
import { type Download, matchesEtag } from "./answers.ts";

/** The description of a served file. */
export interface ServedFile {
  readonly sha256: string;
  readonly mediaType: string;
  readonly size: number;
  readonly fileName: string | null;
}

/**
 * Serves `{base_url}/uploads/{name}`. Calls `next` if there is no complete file. Throws `method_not_allowed`.
 * (rule F16)
 */
export function serveFiles(
  { baseUrl }: Pick<Settings, "baseUrl">,
  find: (name: string) => Promise<ServedFile | undefined>,
  files: Pick<Files, "open" | "size">,
): Middleware {
  // A proxy may keep the path of the base address or remove it, so both forms are accepted.
  const root = new URL(baseUrl).pathname.replace(/\/$/, "");
  return async (ctx, next) => {
    const name = nameIn(ctx.path.startsWith(`${root}/`) ? ctx.path.slice(root.length) : ctx.path);
    if (name && !readers.includes(ctx.method)) throw new ApiError("method_not_allowed", { allow: readers });
    const file = name ? await find(name) : undefined;
    if (!name || !file || (await files.size(file.sha256)) !== file.size) return next();
    ctx.state.route = "/uploads/:name";
    await answer(ctx, { ...file, fileName: file.fileName ?? name }, files);
  };
}

const readers = ["GET", "HEAD"];

const nameIn = (path: string): string | undefined => /^\/uploads\/([\w.-]{1,200})$/.exec(path)?.[1];

async function answer(ctx: Context, file: ServedFile, files: Pick<Files, "open">): Promise<void> {
  const etag = `"${file.sha256}"`;
  ctx.status = 200;
  ctx.set("ETag", etag);
  if (matchesEtag(ctx.get("If-None-Match"), etag)) {
    setHeaders(ctx, file);
    ctx.status = 304;
    return;
  }
  const span = spanOf(ctx, file.size);
  if (span === "unsatisfiable") return refuseRange(ctx, file.size);
  // The file is opened before the headers are set, because the answer with an error must not have these
  // headers.
  const stream = ctx.method === "GET" ? await files.open(file.sha256, span) : undefined;
  setHeaders(ctx, file);
  ctx.length = span ? span.end - span.start + 1 : file.size;
  if (span) {
    ctx.status = 206;
    ctx.set("Content-Range", `bytes ${span.start}-${span.end}/${file.size}`);
  }
  // Koa closes the stream when the answer ends or the client disconnects.
  if (stream) ctx.body = stream;
}

function spanOf(ctx: Context, size: number): ByteSpan | "unsatisfiable" | undefined {
  const asked = ctx.get("If-Range");
  if (ctx.method !== "GET" || (asked !== "" && asked !== ctx.response.get("ETag"))) return undefined;
  return parseByteRange(ctx.get("Range"), size);
}

function refuseRange(ctx: Context, size: number): never {
  ctx.remove("ETag");
  ctx.set("Content-Range", `bytes */${size}`);
  throw new ApiError("bad_range");
}

// The files come from strangers. No script in these files may run, and no browser may guess another type. (rule F16)
function setHeaders(ctx: Context, { mediaType, fileName }: ServedFile): void {
  const kind = /^(image|video)\//.test(mediaType) ? "inline" : "attachment";
  ctx.set({
    "Content-Type": mediaType,
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "Content-Disposition": contentDisposition(kind, nameFor(mediaType, cleanFileName(fileName, "file"))),
    "Cross-Origin-Resource-Policy": "same-site",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, max-age=31536000, immutable",
    "Accept-Ranges": "bytes",
  });
}

/**
 * Returns the span of a Range header. Returns undefined if the server must send the whole file. (RFC 9110,
 * 14.2)
 */
function parseByteRange(header: string | undefined, size: number): ByteSpan | "unsatisfiable" | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || first + last === "") return undefined;
  if (first === "") return spanBetween(Math.max(0, size - Number(last)), size - 1);
  if (last !== "" && Number(last) < Number(first)) return undefined;
  return spanBetween(Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1));
}

const spanBetween = (start: number, end: number) => (start <= end ? { start, end } : "unsatisfiable");

/** The maximum duration of a download. A client that reads nothing is disconnected earlier. */
const longestMilliseconds = 6 * 3_600_000;

/**
 * Sends a file while it is generated. After an error, closes the connection early, so that clients detect the
 * failure.
 */
export function sendDownload(ctx: Context, { fileName, mediaType, bytes, chunks, end }: Download): void {
  ctx.set({
    "Content-Type": mediaType,
    "Content-Disposition": contentDisposition("attachment", fileName),
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-store",
  });
  if (bytes !== undefined) ctx.length = bytes;
  const { res } = ctx;
  const limit = setTimeout(() => res.destroy(), longestMilliseconds).unref();
  const over = () => {
    clearTimeout(limit);
    void end();
  };
  if (res.closed) over();
  else res.once("close", over);
  if (res.closed) return;
  if (ctx.method !== "HEAD") ctx.body = Readable.from(chunks, { objectMode: false });
}

/**
 * Returns the value of a Content-Disposition header. If the name is not ASCII, `filename*` contains the full
 * name (RFC 8187).
 */
function contentDisposition(kind: "inline" | "attachment", fileName: string): string {
  const name = cleanFileName(fileName, "file");
  const ascii = name
    .normalize("NFC")
    .replace(/[^ -~]/gu, "_")
    .replace(/["\\%;]/g, "_");
  const full = ascii === name ? "" : `; filename*=UTF-8''${encodeExtended(name)}`;
  return `${kind}; filename="${ascii}"${full}`;
}

// encodeURIComponent does not encode these characters, but RFC 8187 does not allow them.
const encodeExtended = (text: string) =>
  encodeURIComponent(text).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
