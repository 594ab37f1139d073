import { Readable } from "node:stream";
import type { Context } from "koa";
import type { Download } from "./answers.ts";
import { contentDisposition } from "./content-disposition.ts";

/** The longest time of a download. A client that reads nothing for a while is cut earlier, as for every answer. */
const longestMilliseconds = 6 * 3_600_000;

/** Sends a file while it is made, as fast as the client reads. Errors cut the connection, so that nobody takes a part for all. */
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
