import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import type * as undici from "../../src/client/undici.lazy.ts";
import type { S3Settings } from "../settings/settings.ts";
import { FilesUnavailable } from "./files.ts";

/** How long the store may be silent: until it answers, and between two pieces of a body. */
const patienceMs = 4_000;

const connectMs = 3_000;

const bodyPatienceMs = 10_000;

const mostTries = 3;

/** A request that has failed later than this is not tried again: its client has waited long enough. */
const triedAgainMs = 1_500;

const firstPauseMs = 50;

/** How many connections there may be. Slow readers of files must not keep reports from being stored. */
const connectionsFor = { reading: 128, others: 32 };

/** The sender for one place. It loads the library of HTTP at the first request. */
export function createS3Client(place: S3Settings): SendToS3 {
  const sign = createSigner(place);
  const outage = createOutage();
  let pools: Promise<Pools> | undefined;

  const send: SendToS3 = async (request) => {
    // A store that hangs may carry out a DELETE much later, when the same file has been sent again.
    if (request.method === "DELETE" && outage.lasts()) await ask(send, request.name);
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
      const isLast = isFinal || tries === mostTries || performance.now() - begun > triedAgainMs;
      if (!isSilence) outage.worked();
      else if (isLast) outage.failed(begun);
      if (isLast) throw new FilesUnavailable(failure, { isSilence });
      await sleep(firstPauseMs * 2 ** tries * (0.5 + Math.random()));
    }
  };
  return send;
}

/** Asks for an object, to see whether the store answers. */
async function ask(send: SendToS3, name: string): Promise<void> {
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
    new Pool(origin, { connections, connect: { timeout: connectMs }, bodyTimeout: bodyPatienceMs });
  return { reading: open(connectionsFor.reading), others: open(connectionsFor.others) };
}

type Outcome =
  | { readonly answer: S3Answer }
  | {
      readonly failure: unknown;
      /** Whether a second try would have the same result. */
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

/** The store has not answered in time. */
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
  const timer = setTimeout(() => over.abort(new Silence()), patienceMs);
  const { signal } = over;
  const content = body
    ? Readable.from(
        moving(body, () => timer.refresh()),
        { objectMode: false, highWaterMark: 1 },
      )
    : null;
  try {
    const sent = pool.request({ method, path, headers, body: content, signal, headersTimeout: 0 });
    // undici looks at the signal only when it is connected.
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

/** A request as it goes over the wire. */
interface SignedRequest {
  readonly method: S3Request["method"];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const hashOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Makes a function that signs requests (AWS Signature Version 4). The hash of the body is signed, so the store checks it. */
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
  /** The name of the object, without the prefix of the settings. Empty for the bucket. */
  readonly name: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: S3Body;
}

interface S3Body {
  readonly size: number;
  readonly sha256: string;
  /** Opens the content, once for each try. */
  readonly read: () => AsyncIterable<Uint8Array>;
}

export interface S3Answer {
  /** 200 to 299, or 404. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Must be read or destroyed. */
  readonly body: Readable;
}

/**
 * Sends one request to the store. Tries again after a failure that may pass. Throws FilesUnavailable if the store cannot be
 * reached, or refuses; then the cause says why.
 */
export type SendToS3 = (request: S3Request) => Promise<S3Answer>;

/** The store has refused a request. */
export class S3Refusal extends Error {
  readonly status: number;
  /** The code of the store, such as `AccessDenied`. Empty if it gave none. */
  readonly code: string;

  constructor(status: number, code: string) {
    super(`The store answers ${status} ${code}`.trim());
    this.name = "S3Refusal";
    this.status = status;
    this.code = code;
  }
}

const mostRefusalBytes = 4_194_304;

/** Reads an answer that is text. */
export async function textOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostRefusalBytes) throw new Error("The answer of the store is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Why the store has refused. */
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

/** What the operator must change, for a refusal that a second try would get again. Undefined for other errors. */
export function faultOfSettings(error: unknown): string | undefined {
  const cause = error instanceof FilesUnavailable ? error.cause : error;
  if (!(cause instanceof S3Refusal)) return undefined;
  if (cause.code === "NoSuchBucket" || cause.status === 404)
    return `INNKEEP_S3_URL names a bucket that does not exist. Create it, or correct the name.`;
  if (cause.code === "InvalidAccessKeyId")
    return `INNKEEP_S3_URL has an access key that the store does not know.`;
  if (cause.code === "SignatureDoesNotMatch")
    return `INNKEEP_S3_URL has a wrong secret, or special characters in it that are not in percent-encoding.`;
  if (cause.code === "AccessDenied")
    return `INNKEEP_S3_URL has a key that may not use the bucket. It must be allowed to list, read, write and delete.`;
  if (cause.code === "RequestTimeTooSkewed")
    return "The clock of this machine differs from that of the S3 store. Set it with NTP.";
  return `INNKEEP_S3_URL cannot be used: ${cause.message}.`;
}

/** Knows whether the store answers, so that requests do not wait for a store that is known to hang. */
interface Outage {
  /** Whether a request may go to the store now. During an outage only one request each quarter of a second may try. */
  mayTry(): boolean;
  /** Whether the store is known to hang. */
  lasts(): boolean;
  worked(): void;
  /** Says that a request that began at `startedAt` got no answer. */
  failed(startedAt: number): void;
}

const outagePauseMs = 250;

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
      // Others were answered in the meantime: the store works.
      if (lastAnswerAt > startedAt) return;
      lasts = true;
      lastTryAt = now();
    },
  };
}
