import type { Context, Middleware } from "koa";
import { ApiError } from "../../src/contract/errors.ts";
import { cleanFileName, nameFor } from "../files/file-names.ts";
import type { ByteSpan, Files } from "../files/files.ts";
import type { Settings } from "../settings/settings.ts";
import { matchesEtag } from "./answers.ts";
import { parseByteRange } from "./byte-range.ts";
import { contentDisposition } from "./content-disposition.ts";

/** The description of a served file. */
export interface ServedFile {
  readonly sha256: string;
  readonly mediaType: string;
  readonly size: number;
  readonly fileName: string | null;
}

/**
 * Answers GET and HEAD of `{base_url}/uploads/{name}`. Calls `next` if `find` does not know the name or the file is
 * lost. Throws `method_not_allowed` for other methods.
 */
export function serveFiles(
  { baseUrl }: Pick<Settings, "baseUrl">,
  find: (name: string) => Promise<ServedFile | undefined>,
  files: Pick<Files, "open" | "size">,
): Middleware {
  // A proxy may pass on the path of the base address or cut it off.
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
  // Opened before the headers are set: if opening fails, the error must not get them.
  const stream = ctx.method === "GET" ? await files.open(file.sha256, span) : undefined;
  setHeaders(ctx, file);
  ctx.length = span ? span.end - span.start + 1 : file.size;
  if (span) {
    ctx.status = 206;
    ctx.set("Content-Range", `bytes ${span.start}-${span.end}/${file.size}`);
  }
  // Koa closes the stream when the answer ends, also when the client disconnects.
  if (stream) ctx.body = stream;
}

function spanOf(ctx: Context, size: number): ByteSpan | "unsatisfiable" | undefined {
  const asked = ctx.get("If-Range");
  if (ctx.method !== "GET" || (asked !== "" && asked !== ctx.response.get("ETag"))) return undefined;
  return parseByteRange(ctx.get("Range"), size);
}

function refuseRange(ctx: Context, size: number): void {
  ctx.status = 416;
  ctx.remove("ETag");
  ctx.set("Content-Range", `bytes */${size}`);
  ctx.body = "";
}

// The bytes come from strangers: nothing in them may run, and no browser may guess another type.
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
