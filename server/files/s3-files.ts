import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import type * as undici from "../../src/client/undici.lazy.ts";
import type { ReceivedFile } from "../../src/contract/files.ts";
import type { S3Settings } from "../settings/settings.ts";
import { assertName, type ByteSpan, type Files, FilesUnavailable, isName, type PlaceMark } from "./files.ts";
import { createTemporaryFolder, settledBefore } from "./temporary-files.ts";

/** Stores files in an S3 store as `files/<sha256>`. Temporary files are in the local `folder`. */
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
      discard(await send({ method: "DELETE", name: nameOf(sha256) }));
    },
    setAside: (sha256) => setAside(send, place, sha256),
    settled: () => settled(send, place),
  };
}

/** Returns the mark of an S3 store: the object `deployment`, which contains the deployment's id. */
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
      discard(await send({ method: "PUT", name: markName, body }));
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
  discard(await send({ method: "PUT", name: nameOf(sha256), body }));
}

async function sizeOf(send: SendToS3, name: string): Promise<number | undefined> {
  const answer = await send({ method: "HEAD", name });
  discard(answer);
  return answer.status === 404 ? undefined : Number(answer.headers["content-length"]);
}

async function setAside(send: SendToS3, { bucket, prefix }: S3Settings, sha256: string): Promise<void> {
  const headers = { "x-amz-copy-source": `/${bucket}/${prefix}${nameOf(sha256)}` };
  const copied = await send({ method: "PUT", name: `damaged/${sha256}`, headers });
  // A copy may fail after the status 200. Only the body shows the result.
  const text = await textOf(copied.body);
  if (!text.includes("<CopyObjectResult"))
    throw new FilesUnavailable(new S3Refusal(copied.status, "CopyFailed"));
  discard(await send({ method: "DELETE", name: nameOf(sha256) }));
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

/** Yields the stored files, one page of the store's list at a time. */
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

/** Discards the body of an answer, so that the connection can be used again. */
function discard({ body }: S3Answer): void {
  body.on("error", () => {});
  body.resume();
}

/** An object in a bucket. */
interface Listed {
  readonly key: string;
  /** When the object was last written, in epoch milliseconds. */
  readonly changedAt: number;
}

interface ListedPage {
  readonly objects: readonly Listed[];
  /** The common beginnings of object names, up to the delimiter. Empty for a request without a delimiter. */
  readonly folders: readonly string[];
  /** The token for the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** Parses an answer to ListObjectsV2. Throws an Error for any other text. */
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
 * Opens an object, or a span of it. Requests the rest after a broken connection. Rejects for an unknown object.
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
        throw new Error("The store ended its answer early");
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
    // An error event without a listener would end the process. The code that reads the body also gets the error.
    answer.body.on("error", () => {});
    return answer;
  }
  answer.body.destroy();
  if (answer.status === 404) throw new Error("There is no such file");
  throw new FilesUnavailable(new Error("The store answered without the requested bytes"));
}

/** The maximum time until the answer arrives, or until the next part of the request body is sent. */
const silenceTimeoutMs = 4_000;

const connectTimeoutMs = 3_000;

const bodyTimeoutMs = 10_000;

const mostTries = 3;

/** A request that fails after this time is not tried again, because the client would wait too long. */
const retryWindowMs = 1_500;

const firstPauseMs = 50;

/**
 * The maximum connections to the store. Downloads have their own connections, so that slow downloads do not
 * delay reports.
 */
const connectionsFor = { reading: 128, others: 32 };

/** The client loads the HTTP library at the first request. It repeats requests after temporary failures. */
function createS3Client(place: S3Settings): SendToS3 {
  const sign = createSigner(place);
  const outage = createOutage();
  let pools: Promise<Pools> | undefined;

  const send: SendToS3 = async (request) => {
    // A hanging store may execute a DELETE late, after the file was stored again. So the store is probed first.
    if (request.method === "DELETE" && outage.lasts()) await probe(send, request.name);
    pools ??= openPools(place);
    const { reading, others } = await pools;
    const pool = request.method === "GET" && request.name !== "" ? reading : others;
    if (!outage.mayTry())
      throw new FilesUnavailable(new Error("The store does not answer at the moment"), { isSilence: true });
    const begun = performance.now();
    for (let tries = 1; ; tries += 1) {
      const given = await answerOf(pool, request, await sign(request));
      if ("answer" in given) {
        outage.worked();
        return given.answer;
      }
      const { failure, isFinal, isSilence } = given;
      const isLast = isFinal || tries === mostTries || performance.now() - begun > retryWindowMs;
      if (!isSilence) outage.worked();
      else if (isLast) outage.failed(begun);
      if (isLast) throw new FilesUnavailable(failure, { isSilence });
      await sleep(firstPauseMs * 2 ** tries * (0.5 + Math.random()));
    }
  };
  return send;
}

/** Requests the headers of an object, to find out whether the store answers. Throws FilesUnavailable if it does not. */
async function probe(send: SendToS3, name: string): Promise<void> {
  const { body } = await send({ method: "HEAD", name });
  body.on("error", () => {}).resume();
}

interface Pools {
  readonly reading: undici.Dispatcher;
  readonly others: undici.Dispatcher;
}

async function openPools({ address }: S3Settings): Promise<Pools> {
  const { Pool } = await import("../../src/client/undici.lazy.ts");
  const { origin } = new URL(address);
  const open = (connections: number) =>
    new Pool(origin, { connections, connect: { timeout: connectTimeoutMs }, bodyTimeout: bodyTimeoutMs });
  return { reading: open(connectionsFor.reading), others: open(connectionsFor.others) };
}

type Outcome =
  | { readonly answer: S3Answer }
  | {
      readonly failure: unknown;
      /** Whether a second attempt would have the same result. */
      readonly isFinal: boolean;
      /** Whether the store did not answer at all. */
      readonly isSilence: boolean;
    };

async function answerOf(
  pool: undici.Dispatcher,
  request: S3Request,
  signed: SignedRequest,
): Promise<Outcome> {
  try {
    const answer = await exchange(pool, signed, request);
    const { status } = answer;
    if ((status >= 200 && status < 300) || (status === 404 && request.method === "HEAD")) return { answer };
    const failure = await refusalOf(answer);
    if (failure.code === "NoSuchKey") return { answer };
    return { failure, isFinal: status < 500 && status !== 429 && status !== 408, isSilence: false };
  } catch (failure) {
    return { failure, isFinal: failure instanceof Silence, isSilence: true };
  }
}

/** Thrown if the store did not answer in time. */
class Silence extends Error {
  constructor() {
    super("The store does not answer");
    this.name = "Silence";
  }
}

async function exchange(
  pool: undici.Dispatcher,
  { method, path, headers }: SignedRequest,
  { body }: S3Request,
): Promise<S3Answer> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new Silence()), silenceTimeoutMs);
  const { signal } = over;
  const content = body
    ? Readable.from(
        moving(body, () => timer.refresh()),
        { objectMode: false, highWaterMark: 1 },
      )
    : null;
  try {
    const sent = pool.request({ method, path, headers, body: content, signal, headersTimeout: 0 });
    // undici checks the signal only after it has connected.
    const answer = await Promise.race([sent, rejected(signal)]);
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  } finally {
    clearTimeout(timer);
  }
}

const rejected = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

async function* moving(body: S3Body, moved: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of body.read()) {
    moved();
    yield chunk;
  }
}

interface SignedRequest {
  readonly method: S3Request["method"];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const hashOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Creates a function that signs requests (AWS Signature Version 4). The signature covers the hash of the body.
 */
function createSigner(place: S3Settings): (request: S3Request) => Promise<SignedRequest> {
  const { address, region, accessKeyId, secretAccessKey } = place;
  const cache = new Map<string, ArrayBuffer>();
  return async ({ method, name, query = {}, headers = {}, body }) => {
    const url = new URL(name === "" ? address : `${address}/${place.prefix}${name}`);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    const signed = await new AwsV4Signer({
      ...{ method, url: url.href, service: "s3", region, accessKeyId, secretAccessKey, cache },
      headers: { ...headers, "x-amz-content-sha256": body?.sha256 ?? hashOfNothing },
    }).sign();
    const length: Record<string, string> = body ? { "content-length": String(body.size) } : {};
    return {
      method,
      path: `${signed.url.pathname}${signed.url.search}`,
      headers: { ...Object.fromEntries(signed.headers), ...length },
    };
  };
}

interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  /** The name of the object, without the prefix in the settings. It is empty for the bucket itself. */
  readonly name: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: S3Body;
}

interface S3Body {
  readonly size: number;
  readonly sha256: string;
  /** Opens the content. It is called once for each attempt. */
  readonly read: () => AsyncIterable<Uint8Array>;
}

interface S3Answer {
  /** The status of the answer: 200 to 299, or 404. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body of the answer. The caller must read or destroy it. */
  readonly body: Readable;
}

/**
 * Sends a request, and repeats it after a temporary failure. Throws FilesUnavailable with the reason as its `cause`.
 */
type SendToS3 = (request: S3Request) => Promise<S3Answer>;

/** Thrown if the store refused a request. */
class S3Refusal extends Error {
  readonly status: number;
  /** The error code of the store, such as `AccessDenied`. It is empty if the store sent none. */
  readonly code: string;

  constructor(status: number, code: string) {
    super(`The store answers ${status} ${code}`.trim());
    this.name = "S3Refusal";
    this.status = status;
    this.code = code;
  }
}

const mostAnswerBytes = 4_194_304;

/** Reads the body of an answer as text. Throws an Error if it is over 4 MiB. */
async function textOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostAnswerBytes) throw new Error("The answer of the store is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Reads the reason for a refusal from the answer. */
async function refusalOf({
  status,
  body,
}: {
  readonly status: number;
  readonly body: Readable;
}): Promise<S3Refusal> {
  const [, code = ""] = /<Code>(\w+)<\/Code>/.exec(await textOf(body)) ?? [];
  return new S3Refusal(status, code);
}

/** Returns what the operator must change in the settings. Returns undefined for other errors. */
export function faultOfSettings(error: unknown): string | undefined {
  const cause = error instanceof FilesUnavailable ? error.cause : error;
  if (!(cause instanceof S3Refusal)) return undefined;
  if (cause.code === "NoSuchBucket" || cause.status === 404)
    return `INNKEEP_S3_URL names a bucket that does not exist. Create it, or correct the name.`;
  if (cause.code === "InvalidAccessKeyId")
    return `INNKEEP_S3_URL has an access key that the S3 service does not accept.`;
  if (cause.code === "SignatureDoesNotMatch")
    return `INNKEEP_S3_URL has a wrong secret, or the secret has special characters that are not percent-encoded.`;
  if (cause.code === "AccessDenied")
    return `INNKEEP_S3_URL has an access key that may not use the bucket. The key needs the rights to list, read, write and delete.`;
  if (cause.code === "RequestTimeTooSkewed")
    return "The clock of this machine differs from the clock of the S3 store. Set the clock of this machine with NTP.";
  return `INNKEEP_S3_URL cannot be used: ${cause.message}.`;
}

/** Records whether the store answers, so that requests do not wait for a store that hangs. */
interface Outage {
  /** Returns whether to send a request now. During an outage, returns true at most once in 250 ms. */
  mayTry(): boolean;
  /** Whether an outage lasts, that is, whether the last requests got no answer. */
  lasts(): boolean;
  worked(): void;
  /** Reports that a request that began at `startedAt` got no answer. */
  failed(startedAt: number): void;
}

const outagePauseMs = 250;

/** Creates an `Outage` for one store. At first, no outage lasts. `now` returns milliseconds. */
export function createOutage(now: () => number = () => performance.now()): Outage {
  let lasts = false;
  let lastAnswerAt = Number.NEGATIVE_INFINITY;
  let lastTryAt = Number.NEGATIVE_INFINITY;
  return {
    lasts: () => lasts,
    mayTry() {
      if (lasts && now() - lastTryAt < outagePauseMs) return false;
      lastTryAt = now();
      return true;
    },
    worked() {
      lasts = false;
      lastAnswerAt = now();
    },
    failed(startedAt) {
      // After this request began, the store has answered another request. So the store does not hang.
      if (lastAnswerAt > startedAt) return;
      lasts = true;
      lastTryAt = now();
    },
  };
}
