import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import type { ReceivedFile } from "../../src/contract/files.ts";
import type { S3Settings } from "../settings/settings.ts";
import { assertName, type ByteSpan, type Files, FilesUnavailable, isName, type PlaceMark } from "./files.ts";
import { createS3Client, type S3Answer, S3Refusal, type SendToS3, textOf } from "./s3-client.ts";
import { createTemporaryFolder, settledBefore } from "./temporary-files.ts";

/**
 * Keeps files in an S3 store as `files/<sha256>`. Temporary files are in the local `folder`: a file is sent when it has
 * arrived whole, in one PUT with its hash, which the store checks.
 */
export function createS3Files(folder: string, place: S3Settings, send = createS3Client(place)): Files {
  const temporary = createTemporaryFolder(folder);
  const size = (sha256: string) => sizeOf(send, nameOf(sha256));
  return {
    ...temporary.files,
    async keep(received) {
      if (!(await temporary.isNew(received, () => size(received.sha256)))) return;
      await put(send, received);
      await rm(received.path, { force: true });
    },
    open: async (sha256, span) => readObject(send, nameOf(sha256), span),
    size: async (sha256) => size(sha256),
    async remove(sha256) {
      done(await send({ method: "DELETE", name: nameOf(sha256) }));
    },
    setAside: (sha256) => setAside(send, place, sha256),
    settled: () => settled(send, place),
  };
}

/** The mark of a store is the object `deployment`. */
export function createStoreMark(place: S3Settings, send = createS3Client(place)): PlaceMark {
  return {
    isTried: true,
    async read() {
      const { status, body } = await send({ method: "GET", name: markName });
      return status === 404 ? void body.destroy() : textOf(body);
    },
    async write(id) {
      const bytes = Buffer.from(id);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      const body = {
        size: bytes.length,
        sha256,
        read: async function* () {
          yield bytes;
        },
      };
      done(await send({ method: "PUT", name: markName, body }));
    },
    async holdsFiles() {
      for await (const page of pagesOf(send, place)) if (page.length > 0) return true;
      return false;
    },
  };
}

const markName = "deployment";

function nameOf(sha256: string): string {
  assertName(sha256);
  return `files/${sha256}`;
}

async function put(send: SendToS3, { path, size, sha256 }: ReceivedFile): Promise<void> {
  const body = { size, sha256, read: () => createReadStream(path) };
  done(await send({ method: "PUT", name: nameOf(sha256), body }));
}

async function sizeOf(send: SendToS3, name: string): Promise<number | undefined> {
  const answer = await send({ method: "HEAD", name });
  done(answer);
  return answer.status === 404 ? undefined : Number(answer.headers["content-length"]);
}

async function setAside(send: SendToS3, { bucket, prefix }: S3Settings, sha256: string): Promise<void> {
  const headers = { "x-amz-copy-source": `/${bucket}/${prefix}${nameOf(sha256)}` };
  const copied = await send({ method: "PUT", name: `damaged/${sha256}`, headers });
  // A copy may fail after the head of the answer was sent.
  const text = await textOf(copied.body);
  if (!text.includes("<CopyObjectResult"))
    throw new FilesUnavailable(new S3Refusal(copied.status, "CopyFailed"));
  done(await send({ method: "DELETE", name: nameOf(sha256) }));
}

async function* settled(send: SendToS3, place: S3Settings): AsyncGenerator<string[]> {
  const before = settledBefore();
  for await (const page of pagesOf(send, place)) {
    const names = page.filter(({ changedAt }) => changedAt < before).map(({ name }) => name);
    if (names.length > 0) yield names;
  }
}

interface Kept {
  readonly name: string;
  readonly changedAt: number;
}

/** The kept files of the store, in pages. */
async function* pagesOf(send: SendToS3, { prefix }: S3Settings): AsyncGenerator<Kept[]> {
  const folder = `${prefix}files/`;
  for (let next: string | undefined; ; ) {
    const query = {
      ...{ "list-type": "2", prefix: folder },
      ...(next === undefined ? {} : { "continuation-token": next }),
    };
    const page = readListing(await textOf((await send({ method: "GET", name: "", query })).body));
    yield page.objects
      .map(({ key, changedAt }) => ({ name: key.slice(folder.length), changedAt }))
      .filter(({ name }) => isName(name));
    next = page.next;
    if (next === undefined) return;
  }
}

/** Gives the connection back. */
function done({ body }: S3Answer): void {
  body.on("error", () => {});
  body.resume();
}

/** An object in a bucket. */
interface Listed {
  readonly key: string;
  /** When it was last written, in milliseconds. */
  readonly changedAt: number;
}

interface ListedPage {
  readonly objects: readonly Listed[];
  /** If the request named a delimiter: what the names of others begin with, up to the delimiter. */
  readonly folders: readonly string[];
  /** What continues the list; undefined at its end. */
  readonly next: string | undefined;
}

/** Reads an answer to ListObjectsV2. Throws for a text that is not one. */
export function readListing(xml: string): ListedPage {
  if (!xml.includes("<ListBucketResult")) throw new Error("The store's answer is not a list of objects");
  const objects = [...xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)].map(([, inside = ""]) => ({
    key: textIn("Key", inside) ?? "",
    changedAt: Date.parse(textIn("LastModified", inside) ?? ""),
  }));
  const folders = [...xml.matchAll(/<CommonPrefixes>([\s\S]*?)<\/CommonPrefixes>/g)].map(
    ([, inside = ""]) => textIn("Prefix", inside) ?? "",
  );
  const isCut = textIn("IsTruncated", xml.replace(/<Contents>[\s\S]*<\/Contents>/, "")) === "true";
  return { objects, folders, next: isCut ? textIn("NextContinuationToken", xml) : undefined };
}

function textIn(element: string, xml: string): string | undefined {
  const found = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
  return found?.replace(/&(#x?[\da-f]+|\w+);/gi, (whole, entity: string) => characterOf(entity) ?? whole);
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function characterOf(entity: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([\da-f]+)|(\d+))$/i.exec(entity) ?? [];
  if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
  return decimal === undefined ? named[entity] : String.fromCodePoint(Number(decimal));
}

const mostFailures = 3;

/**
 * Reads an object, or a span of it, as fast as the reader of the stream takes it. If the connection ends early, it asks
 * for the rest. Rejects if there is no such object.
 */
async function readObject(send: SendToS3, name: string, span?: ByteSpan): Promise<Readable> {
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
