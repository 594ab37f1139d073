import { createHash } from "node:crypto";
import { createServer } from "node:http";
import Koa from "koa";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLocalFiles } from "../../../server/files/local-files.ts";
import { answerErrors } from "../../../server/http/answers.ts";
import { type ServedFile, serveFiles } from "../../../server/http/serve-file.ts";
import { errorCatalogue } from "../../../src/contract/errors.ts";
import { receivedFile } from "../../../src/contract/files.ts";
import { eventually } from "../../support/eventually.ts";
import { openFilesIn } from "../../support/files/open-files.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { connectRaw, headOf } from "../../support/network/raw-connection.ts";

const MB = 1_048_576;
const digits = Buffer.from("0123456789");
const noBytes = JSON.stringify({ error: errorCatalogue.bad_range.message, code: "bad_range" });

interface Serving {
  readonly bytes?: Buffer;
  readonly file?: Partial<ServedFile>;
  readonly path?: string;
}

/** A server with one upload, `abc.png`. */
async function serve({ bytes = digits, file = {}, path = "" }: Serving = {}) {
  const folder = await temporaryFolder();
  const files = createLocalFiles(folder);
  const temporary = files.createTemporary(bytes.length);
  temporary.write(bytes);
  const written = await temporary.finish();
  await files.keep(receivedFile({ ...written, declaredType: null, name: null, fault: null }));
  const { sha256 } = written;
  const upload = { sha256, size: bytes.length, mediaType: "image/png", fileName: "shot.png", ...file };

  const app = new Koa();
  app.silent = true;
  app.use(answerErrors({ log: pino({ enabled: false }) }, () => false));
  const find = async (name: string) => (name === "abc.png" ? upload : undefined);
  app.use(serveFiles({ baseUrl: `http://innkeep.test${path}` }, find, files));
  app.use((ctx) => {
    ctx.status = 404;
    ctx.body = { code: "not_found" };
  });
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const get = (headers: Record<string, string> = {}, method = "GET") =>
    fetch(`${baseUrl}/uploads/abc.png`, { method, headers });
  return { folder, files, sha256, baseUrl, get };
}

const headersOf = ({ headers }: Response, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, headers.get(name)]));

describe("GET /uploads/{name}", () => {
  it("answers with the bytes, and with headers that prevent the execution of scripts in them", async () => {
    const { get, sha256 } = await serve();
    const answer = await get();
    const headers = {
      "content-type": "image/png",
      "content-length": "10",
      "content-disposition": 'inline; filename="shot.png"',
      "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-site",
      "referrer-policy": "no-referrer",
      "cache-control": "private, max-age=31536000, immutable",
      "accept-ranges": "bytes",
      etag: `"${sha256}"`,
    };
    expect(answer.status).toBe(200);
    expect(headersOf(answer, Object.keys(headers))).toEqual(headers);
    expect(await answer.text()).toBe("0123456789");
  });

  it.each([
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/gif",
    "video/mp4",
    "video/webm",
    "video/quicktime",
  ])("allows a browser to show %s", async (mediaType) => {
    const { get } = await serve({ file: { mediaType } });
    expect((await get()).headers.get("content-disposition")).toMatch(/^inline;/);
  });

  it("allows a browser only to download a PDF", async () => {
    const { get } = await serve({ file: { mediaType: "application/pdf", fileName: "log.pdf" } });
    expect((await get()).headers.get("content-disposition")).toBe('attachment; filename="log.pdf"');
  });

  it.each([
    ['a"b\\c.pdf', 'filename="c.pdf"'],
    ['say "hi".pdf', "filename=\"say _hi_.pdf\"; filename*=UTF-8''say%20%22hi%22.pdf"],
    ["a\r\nSet-Cookie: b=1.pdf", 'filename="aSet-Cookie: b=1.pdf"'],
    ["../../etc/passwd", 'filename="passwd.pdf"'],
    ["a;b=c.pdf", "filename=\"a_b=c.pdf\"; filename*=UTF-8''a%3Bb%3Dc.pdf"],
    ["100%25.pdf", "filename=\"100_25.pdf\"; filename*=UTF-8''100%2525.pdf"],
    ["żółć 😀.pdf", "filename=\"____ _.pdf\"; filename*=UTF-8''%C5%BC%C3%B3%C5%82%C4%87%20%F0%9F%98%80.pdf"],
    ["(it's*).pdf", 'filename="(it\'s*).pdf"'],
    ["é(it's*).pdf", "filename=\"_(it's*).pdf\"; filename*=UTF-8''%C3%A9%28it%27s%2A%29.pdf"],
    ["fdp.\u202eexe.pdf", 'filename="fdp.exe.pdf"'],
    ["\u0000\u007f", 'filename="file.pdf"'],
    [null, 'filename="abc.pdf"'],
    ["x.html", 'filename="x.pdf"'],
  ])("escapes the file name %j in a header", async (fileName, header) => {
    const { get } = await serve({ file: { fileName, mediaType: "application/pdf" } });
    expect((await get()).headers.get("content-disposition")).toBe(`attachment; ${header}`);
  });

  it.each([
    ["bytes=0-0", 206, "0", "bytes 0-0/10"],
    ["bytes=0-9", 206, "0123456789", "bytes 0-9/10"],
    ["bytes=2-4", 206, "234", "bytes 2-4/10"],
    ["bytes=9-9", 206, "9", "bytes 9-9/10"],
    ["bytes=4-", 206, "456789", "bytes 4-9/10"],
    ["bytes=4-99", 206, "456789", "bytes 4-9/10"],
    ["bytes=-1", 206, "9", "bytes 9-9/10"],
    ["bytes=-10", 206, "0123456789", "bytes 0-9/10"],
    ["bytes=-99", 206, "0123456789", "bytes 0-9/10"],
    ["BYTES= 1-2 ", 206, "12", "bytes 1-2/10"],
    ["bytes=10-", 416, noBytes, "bytes */10"],
    ["bytes=10-12", 416, noBytes, "bytes */10"],
    ["bytes=-0", 416, noBytes, "bytes */10"],
    ["bytes=99999999999999999999999-", 416, noBytes, "bytes */10"],
    ["bytes=4-2", 200, "0123456789", null],
    ["bytes=0-1,4-5", 200, "0123456789", null],
    ["bytes=-", 200, "0123456789", null],
    ["bytes=a-b", 200, "0123456789", null],
    ["bytes=1", 200, "0123456789", null],
    ["items=0-1", 200, "0123456789", null],
    ["", 200, "0123456789", null],
  ])("answers the range %j with %i %j", async (range, status, text, contentRange) => {
    const { get } = await serve();
    const answer = await get(range === "" ? {} : { Range: range });
    expect([answer.status, await answer.text()]).toEqual([status, text]);
    expect(answer.headers.get("content-range")).toBe(contentRange);
    expect(answer.headers.get("content-length")).toBe(String(text.length));
  });

  it("returns no range of an empty file", async () => {
    const { get } = await serve({ bytes: Buffer.alloc(0) });
    expect((await get({ Range: "bytes=0-0" })).status).toBe(416);
    expect((await get({ Range: "bytes=-5" })).status).toBe(416);
    expect((await get()).status).toBe(200);
  });

  it("returns a range only if the header If-Range matches the file", async () => {
    const { get, sha256 } = await serve();
    const status = async (tag: string) => (await get({ Range: "bytes=1-2", "If-Range": tag })).status;
    expect(await status(`"${sha256}"`)).toBe(206);
    expect(await status('"other"')).toBe(200);
    expect(await status("Wed, 21 Oct 2026 07:28:00 GMT")).toBe(200);
  });

  it.each([
    ["the tag", 304, (tag: string) => tag],
    ["the tag among others", 304, (tag: string) => `"x", ${tag}`],
    ["the weak tag", 304, (tag: string) => `W/${tag}`],
    ["any tag", 304, () => "*"],
    ["another tag", 200, () => '"x"'],
  ])("answers If-None-Match: %s with %i", async (_, status, header) => {
    const { get, sha256 } = await serve();
    const answer = await get({ "If-None-Match": header(`"${sha256}"`) });
    expect([answer.status, (await answer.text()).length]).toEqual([status, status === 304 ? 0 : 10]);
    expect(answer.headers.get("etag")).toBe(`"${sha256}"`);
    expect(answer.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
  });

  it("answers HEAD with the headers of GET, without the bytes and without ranges", async () => {
    const { get, folder } = await serve();
    const answer = await get({ Range: "bytes=0-1" }, "HEAD");
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    expect(answer.headers.get("content-length")).toBe("10");
    expect(await openFilesIn(folder)).toEqual([]);
  });

  it.each([
    ["GET", "/uploads/other.png"],
    ["GET", "/uploads/"],
    ["GET", "/uploads"],
    ["GET", "/uploads/abc.png/"],
    ["GET", "/uploads/abc.png/x"],
    ["GET", "/uploads/%61bc.png"],
    ["GET", "/uploads/..%2fabc.png"],
    ["GET", "/x/uploads/abc.png"],
    ["GET", `/uploads/${"a".repeat(5_000)}`],
  ])("leaves the request %s %s to the rest of the server", async (method, path) => {
    const { baseUrl } = await serve();
    const answer = await fetch(baseUrl + path, { method });
    expect(await answer.json()).toEqual({ code: "not_found" });
  });

  it.each(["/inn/uploads/abc.png", "/uploads/abc.png"])(
    "answers at %s if the base address has the path /inn",
    async (path) => {
      const { baseUrl } = await serve({ path: "/inn" });
      expect((await fetch(baseUrl + path)).status).toBe(200);
    },
  );

  it("answers with an error for a file that is missing on the disk", async () => {
    const { get, files, sha256 } = await serve();
    await files.remove(sha256);
    const answer = await get();
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(answer.headers.get("cache-control")).toBeNull();
  });

  it("closes the file if the reader disconnects before the end", async () => {
    const bytes = Buffer.alloc(32 * MB);
    const { baseUrl, folder } = await serve({ bytes, file: { mediaType: "video/mp4" } });
    const connection = await connectRaw(baseUrl);
    connection.write(headOf("GET", "/uploads/abc.png", {}));
    await connection.read(/200 OK/);
    await connection.cut();
    await eventually(async () => expect(await openFilesIn(folder)).toEqual([]));
  });

  it("returns the same bytes to many readers at the same time", async () => {
    const bytes = createHash("shake256", { outputLength: MB }).update("x").digest();
    const { get, folder } = await serve({ bytes });
    const answers = await Promise.all(Array.from({ length: 20 }, () => get()));
    const bodies = await Promise.all(answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())));
    expect(bodies.every((body) => body.equals(bytes))).toBe(true);
    await eventually(async () => expect(await openFilesIn(folder)).toEqual([]));
  });
});
