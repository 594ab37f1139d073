import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type * as undici from "../../src/client/undici.lazy.ts";
import type { S3Settings } from "../settings/settings.ts";
import { FilesUnavailable } from "./files.ts";
import { createOutage } from "./outage.ts";
import { refusalOf } from "./s3-refusal.ts";
import type { S3Answer, S3Body, S3Request, SendToS3 } from "./s3-request.ts";
import { createSigner, type SignedRequest } from "./sign.ts";

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
      const given = await answerOf(pool, { request, signed: await sign(request) });
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

interface Asked {
  readonly request: S3Request;
  readonly signed: SignedRequest;
}

async function answerOf(pool: undici.Dispatcher, { request, signed }: Asked): Promise<Outcome> {
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
