import { hash } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Context, Next } from "koa";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { ApiError, type ErrorCode } from "../../src/contract/errors.ts";
import { isUnavailable } from "../database/errors.ts";
import { everyTopic } from "../database/transaction.ts";
import { FilesUnavailable } from "../files/files.ts";
import type { Settings } from "../settings/settings.ts";
import type { Memory } from "./memory.ts";

/** A success body that is already JSON text, with its strong ETag. */
export interface PreparedAnswer {
  readonly prepared: true;
  readonly body: string | Buffer;
  readonly etag: string;
  /**
   * The period during which the same request gets this answer again. Undefined if the answer must not be cached.
   */
  readonly lasts?: Lasting;
}

/** A period in which a value does not change: from `from` until just before `until`, in epoch milliseconds. */
export interface Lasting {
  readonly from: number;
  readonly until: number;
  /** Whether all data of the answer is in memory and unchanged. */
  readonly isCurrent: () => boolean;
}

/** An answer that is a file. The server generates the file while it sends the file. */
export interface Download {
  readonly isDownload: true;
  readonly fileName: string;
  readonly mediaType: string;
  /** The exact length of the file, if it is known. */
  readonly bytes: number | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Called once, when the answer was sent, has failed or was interrupted. */
  end(): Promise<void>;
}

export const isDownload = (answer: unknown): answer is Download =>
  typeof answer === "object" && answer !== null && "isDownload" in answer && answer.isDownload === true;

/** The maximum length of a short text, in characters. Node sends short texts together with the headers. */
const shortLength = 8_192;

export function prepareAnswer(json: string): PreparedAnswer {
  const body = json.length <= shortLength ? json : Buffer.from(json);
  return { prepared: true, body, etag: etagOf(body) };
}

export const isPrepared = (answer: unknown): answer is PreparedAnswer =>
  typeof answer === "object" && answer !== null && "prepared" in answer && answer.prepared === true;

export const jsonType = "application/json; charset=utf-8";

/** Returns the header `Cache-Control` for the answer to a read. */
export const cachingOf = ({ answersSecret }: Pick<Endpoint, "answersSecret">): string =>
  answersSecret ? "private, no-store" : "private, no-cache";

export const etagOf = (body: string | Buffer): string =>
  `"${hash("sha256", body, "base64url").slice(0, 27)}"`;

/**
 * Whether the header `If-None-Match` or `If-Match` contains `etag`. A weak ETag also matches, because proxies
 * weaken ETags.
 */
export const matchesEtag = (header: string, etag: string): boolean =>
  matchesAny(header) || header.split(",").some((entry) => entry.trim().replace(/^W\//, "") === etag);

/** Whether the header `If-None-Match` or `If-Match` contains `*`, which matches every answer. */
export const matchesAny = (header: string): boolean =>
  header.split(",").some((entry) => entry.trim() === "*");

/**
 * A cache of prepared answers by name. `recall` replaces an expired answer and an answer with another
 * `version`.
 */
export interface Answers {
  /** Returns the cached answer, or creates it with `make`. Simultaneous requests wait for the same answer. */
  recall(wanted: Wanted, make: () => Promise<Made>): Promise<PreparedAnswer>;
}

interface Wanted {
  readonly name: string;
  readonly version: number;
  readonly now: Date;
}

interface Made {
  readonly answer: PreparedAnswer;
  readonly until?: number | undefined;
}

/** Returns the maximum memory that a body can use, in bytes. */
export const bytesOfBody = (body: string | Buffer): number =>
  typeof body === "string" ? 2 * body.length : body.length;

/** About how many bytes of memory an answer uses in addition to its body and its name. */
const smallThings = 1_000;

interface CachedAnswer {
  readonly version: number;
  readonly from: number;
  readonly until: number;
  readonly answer: PreparedAnswer;
}

/**
 * A signal with `everyTopic` empties the cache. After a restore, the same `version` may mean other contents.
 * (decision 04)
 */
export function createAnswers(memory: Memory): Answers {
  const cache = memory.createPart<CachedAnswer>();
  const inMaking = new Map<string, Promise<CachedAnswer>>();
  /** How often all answers were dropped. */
  let changes = 0;
  memory.onChange((topic) => {
    if (topic !== everyTopic) return;
    changes += 1;
    cache.clear();
  });

  async function makeOne({ name, version, now }: Wanted, make: () => Promise<Made>): Promise<CachedAnswer> {
    const began = changes;
    const { answer, until = Number.POSITIVE_INFINITY } = await make();
    const from = now.getTime();
    // The answer's `isCurrent` is always true. When `version` changes, the `isCurrent` of the request's
    // credential becomes false.
    const lasts = memory.isOn ? { lasts: { from, until, isCurrent: always } } : {};
    const made = { version, from, until, answer: { ...answer, ...lasts } };
    if (changes === began) cache.keep(name, made, smallThings + 2 * name.length + bytesOfBody(answer.body));
    return made;
  }

  function makeTogether(wanted: Wanted, make: () => Promise<Made>): Promise<CachedAnswer> {
    const made = makeOne(wanted, make).finally(() => {
      if (inMaking.get(wanted.name) === made) inMaking.delete(wanted.name);
    });
    inMaking.set(wanted.name, made);
    return made;
  }

  return {
    async recall(wanted, make) {
      const known = cache.get(wanted.name);
      if (known && isGood(known, wanted)) return known.answer;
      for (let coming = inMaking.get(wanted.name); coming; coming = inMaking.get(wanted.name)) {
        const made = await coming.catch(() => undefined);
        if (made && isGood(made, wanted)) return made.answer;
      }
      return (await makeTogether(wanted, make)).answer;
    },
  };
}

const always = (): boolean => true;

const isGood = ({ version, from, until }: CachedAnswer, wanted: Wanted): boolean => {
  const at = wanted.now.getTime();
  return version === wanted.version && from <= at && at < until;
};

/** The memory of answers below this size is not counted. */
const largeBytes = 1_048_576;

/** The server never interrupts an answer that is younger than this, even if other answers need its memory. */
const graceMilliseconds = 10_000;

/** A large answer that the client has not read completely yet. */
interface Waiting {
  /** The body if it is a Buffer, otherwise a new object. The memory of each object counts once. */
  readonly memory: object;
  readonly bytes: number;
  readonly since: number;
}

interface NewAnswer {
  readonly body: string | Buffer;
  /** Whether the server may refuse the request with `busy`. False if the request has already changed something. */
  readonly canRefuse: boolean;
}

/** Counts the memory of large answers. If memory is short, closes slow connections or throws `busy`. */
export type HoldAnswer = (response: ServerResponse, answer: NewAnswer) => void;

export function createHoldAnswer({ settings }: { readonly settings: Settings }): HoldAnswer {
  const most = settings.budgets.answerBytes;
  const waiting = new Map<ServerResponse, Waiting>();
  const readers = new Map<object, number>();
  let held = 0;

  function release(response: ServerResponse): void {
    const answer = waiting.get(response);
    if (!answer) return;
    waiting.delete(response);
    const left = (readers.get(answer.memory) ?? 1) - 1;
    if (left > 0) readers.set(answer.memory, left);
    else {
      readers.delete(answer.memory);
      held -= answer.bytes;
    }
  }

  /** Closes the connection with the oldest answer. Returns false if every answer is younger than ten seconds. */
  function cutSlowest(): boolean {
    const [slowest] = waiting;
    if (!slowest || performance.now() - slowest[1].since < graceMilliseconds) return false;
    release(slowest[0]);
    slowest[0].destroy();
    return true;
  }

  return (response, { body, canRefuse }) => {
    // A unit of `length` has at most three bytes in UTF-8. So a short text needs no exact count.
    if (body.length * 3 < largeBytes || response.closed) return;
    const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    if (bytes < largeBytes) return;
    const memory = typeof body === "string" ? {} : body;
    const isOver = () => held > 0 && held + (readers.has(memory) ? 0 : bytes) > most;
    while (isOver() && cutSlowest());
    if (isOver() && canRefuse)
      throw new ApiError("busy", {
        message: "The server is still sending too many large answers. Try again in a moment.",
        retryAfterSeconds: 5,
      });
    if (!readers.has(memory)) held += bytes;
    readers.set(memory, (readers.get(memory) ?? 0) + 1);
    waiting.set(response, { memory, bytes, since: performance.now() });
    response.once("close", () => release(response));
  };
}

/** An answer that stays open and sends events (server-sent events). */
export interface EventStream {
  readonly isEventStream: true;
  /** Called once, when the headers of the answer have been sent. */
  readonly open: (connection: EventConnection) => void;
}

/** The connection on which the events are sent. */
export interface EventConnection {
  /** Sends text. Closes the connection if the client reads too slowly. */
  readonly send: (text: string) => void;
  readonly end: () => void;
  /** Calls `listener` when the connection has closed. */
  readonly onClose: (listener: () => void) => void;
}

export const isEventStream = (answer: unknown): answer is EventStream =>
  typeof answer === "object" && answer !== null && "isEventStream" in answer && answer.isEventStream === true;

/** The maximum number of unsent bytes. If there are more, the server closes the connection. (rule F74) */
const mostWaitingBytes = 65_536;

/** Sends the headers of an event stream and opens it. Proxies must not buffer the answer. */
export function sendEvents(ctx: Context, { open }: EventStream): void {
  const { req, res } = ctx;
  ctx.respond = false;
  res.writeHead(200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "private, no-store, no-transform",
    "X-Accel-Buffering": "no",
  });
  if (req.method === "HEAD") {
    res.end();
    return;
  }
  res.flushHeaders();
  if (res.closed) return;
  open({
    send(text) {
      if (res.writableEnded || res.destroyed) return;
      res.write(text);
      if (res.writableLength > mostWaitingBytes) res.destroy();
    },
    end: () => res.end(),
    onClose: (listener) => res.once("close", listener),
  });
}

/** Returns the body of an error: `{error, code}`, and the additional fields of the code. (rule H2) */
export const errorBody = ({ message, code, details }: ApiError) => ({
  error: message,
  code,
  ...(details.issues ? { issues: details.issues } : {}),
  ...(details.dayIndex === undefined ? {} : { dayIndex: details.dayIndex }),
  ...(details.runId === undefined ? {} : { runId: details.runId }),
  ...(details.mayResume ? { mayResume: true } : {}),
  ...(details.entryId === undefined ? {} : { entryId: details.entryId }),
  ...(details.step === undefined ? {} : { step: details.step }),
  ...(details.reasons ? { reasons: details.reasons } : {}),
});

/** Returns the message of an error as sentences, for pages and mails, which do not show the field `issues`. */
export function sentencesOf({ message, details }: Pick<ApiError, "message" | "details">): string[] {
  const { issues = [] } = details;
  if (issues.length === 0) return [message];
  return issues.map((issue) => `${issue.path} ${issue.message}.`.trim().replace(/\.\.$/, "."));
}

/** Answers with an error page if the client is a browser. Returns whether it has answered. */
export type AnswerWithPage = (ctx: Context, error: ApiError) => boolean | Promise<boolean>;

/** The function of the log that records an error. */
interface ErrorLog {
  readonly error: (facts: object, message: string) => void;
}

/** Answers a thrown error with a page or JSON. The cause of the error is only in the log. */
export function answerErrors(deps: { readonly log: ErrorLog }, answerWithPage: AnswerWithPage) {
  const hasPage = async (ctx: Context, error: ApiError): Promise<boolean> => {
    try {
      return await answerWithPage(ctx, error);
    } catch (thrown) {
      logServerError(deps, ctx, { error: asApiError(thrown), thrown });
      return false;
    }
  };
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (thrown) {
      const error = asApiError(thrown);
      logServerError(deps, ctx, { error, thrown });
      if (ctx.res.headersSent) return void ctx.req.destroy();
      setHeaders(ctx, error);
      if (!(await hasPage(ctx, error))) answerWithJson(ctx, error);
    }
  };
}

/** Returns the ApiError for any thrown value. (rule H29) */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof UploadFailure) return uploadError(thrown);
  if (thrown instanceof FilesUnavailable || isUnavailable(thrown)) {
    return new ApiError("busy", { retryAfterSeconds: 1 }, { cause: thrown });
  }
  if (isAborted(thrown)) {
    return new ApiError("busy", { message: endedByStop, retryAfterSeconds: 2 }, { cause: thrown });
  }
  return new ApiError("internal", {}, { cause: thrown });
}

// The message does not say that nothing was changed, because some requests need several transactions.
const endedByStop =
  "The server is stopping, so it has not finished this request. Send the request again soon.";

/**
 * Whether the request's signal caused the error. The signal aborts when the server stops or the client
 * disconnects.
 */
const isAborted = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === "AbortError";

function uploadError(failure: UploadFailure): ApiError {
  if (failure.fault === "too_large") return new ApiError("payload_too_large", { message: failure.message });
  return new ApiError(
    "bad_request",
    { issues: [{ path: "", message: failure.message }] },
    { cause: failure },
  );
}

function setHeaders(ctx: Context, { details }: ApiError): void {
  const { allow, retryAfterSeconds } = details;
  if (allow) ctx.set("Allow", allow.join(", "));
  if (retryAfterSeconds !== undefined) ctx.set("Retry-After", String(retryAfterSeconds));
}

function answerWithJson(ctx: Context, error: ApiError): void {
  ctx.set("Cache-Control", "no-store");
  const challenge = challenges.get(error.code);
  if (challenge !== undefined) ctx.set("WWW-Authenticate", challenge);
  ctx.status = error.status;
  const requestId = error.status === 500 ? { requestId: ctx.state.requestId } : {};
  ctx.body = { ...errorBody(error), ...requestId };
}

/**
 * The value of the header `WWW-Authenticate` for each error code. It says which authentication scheme the
 * client must use.
 */
const challenges: ReadonlyMap<string, string> = new Map([
  ["invalid_token", 'Bearer realm="innkeep"'],
  ["sign_in_required", 'Bearer realm="innkeep"'],
  ["invalid_api_key", 'ApiKey realm="innkeep", header="x-api-key"'],
] satisfies [ErrorCode, string][]);

/** Logs a server error with its cause. Does not log an error that a developer has requested for a test. */
function logServerError(
  { log }: { readonly log: ErrorLog },
  ctx: Context,
  { error, thrown }: { readonly error: ApiError; readonly thrown: unknown },
): void {
  if (error.status < 500 || ctx.state.isWanted) return;
  log.error(
    { requestId: ctx.state.requestId, method: ctx.method, route: ctx.state.route, err: thrown },
    error.code,
  );
}

export type UploadFault =
  | "malformed_json"
  | "malformed_multipart"
  | "too_large"
  | "too_many_files"
  | "aborted";

/** The error for a malformed, too large or incomplete body. The message says what the sender must change. */
export class UploadFailure extends Error {
  readonly fault: UploadFault;

  constructor(fault: UploadFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UploadFailure";
    this.fault = fault;
  }
}

export const malformedJson = (why: string) => new UploadFailure("malformed_json", `The body ${why}.`);
