import { type FileHandle, open } from "node:fs/promises";
import { isMutation } from "../contract/endpoint.ts";
import type { Issue } from "../contract/errors.ts";
import { isNestedDeeperThan, isObject, listAt, textAt, valueAt } from "../contract/json.ts";
import type { CallOptions, Client, Content, WireAnswer, WireRequest } from "./call.ts";
import {
  credentialFor,
  credentialHeader,
  credentialKinds,
  isRefusedHere,
  MissingCredentialError,
} from "./connection.ts";
import { ConnectionError, InvalidInputError, ServerError, UnexpectedAnswerError } from "./errors.ts";
import type { ClientOptions, Credentials, PreparedRequest } from "./options.ts";
import { type Route, routes, type Shape } from "./routes.ts";
import { followingRedirects, lastingTransport, shortTransport, traced } from "./transport.ts";
import { isSettled, type RetryPolicy, repeatedly, sleep } from "./wait.ts";

/** Returns the whole API as functions, for a long-running program. Answers keep their unknown fields. */
export const createClient = (options: ClientOptions): Client =>
  clientOf(createSender({ ...options, transport: options.transport ?? lastingTransport(options.proxy) }));

/** Returns the whole API as functions that send their requests with `send`. */
export function clientOf(send: Sender): Client {
  const groups = Object.entries(routes).map(([name, group]) => [name, callsOf(group, send)]);
  return Object.fromEntries(groups);
}

/** Returns one group of the API as functions that send their requests with `send`. */
export function groupOf<Name extends keyof Client>(name: Name, send: Sender): Pick<Client, Name> {
  const groups = [[name, callsOf(routes[name], send)]];
  return Object.fromEntries(groups);
}

const callsOf = (group: Readonly<Record<string, Route>>, send: Sender) =>
  Object.fromEntries(Object.entries(group).map(([name, route]) => [name, callOf(route, send)]));

const callOf = (route: Route, send: Sender) => async (input?: LooseInput) => {
  const success = await send(route, input);
  const content = contentOf(success, route, input?.params);
  input?.onEtag?.(success.headers.etag);
  return content;
};

/** Sends a request to a route and returns the answer if it is a success. */
export type Sender = (route: Route, input?: LooseInput) => Promise<Success>;

/** Creates the function that runs every call. It repeats a request only if that is safe. (rule L5) */
export function createSender(options: ClientOptions): Sender {
  const now = options.now ?? (() => new Date());
  const transport = followingRedirects(
    traced(options.transport ?? shortTransport(options.proxy), options, now),
  );
  const policy = policyOf(options);

  return async (route, given = {}) => {
    const input = { ...given, signal: given.signal ?? options.signal };
    const prepared = prepare(options.baseUrl, route, input);
    if (changes(route)) options.beforeMutation?.(prepared, route);
    const secret = await secretFor(options.credentials, route);
    const key = changes(route) ? await keyFor(options, prepared, input) : undefined;
    const own = { ...secret, ...keyHeader(key), ...ifMatchHeader(input) };
    const request = requestOf(options, { ...prepared, ...answerLimits(route, options, input), own }, input);
    const attempt = async () => successIn(await transport(dated(request, route, now())), prepared, now());
    const repeats = !changes(route) || key !== undefined;
    const sent = repeats ? repeatedly(attempt, policy, patient(options.baseUrl, route, input)) : attempt();
    return key === undefined ? sent : settle(sent, key, options);
  };
}

/** Returns the input of a call. A call that only reads, without waiting, is repeated after fewer errors. */
function patient(baseUrl: string, route: Route, input: LooseInput): LooseInput {
  if (changes(route) || heldMs(input) > 0) return input;
  const { repeatAfter = () => true } = input;
  // These failures end a call that only reads, because a person may be waiting for the result.
  const isFinal = (error: Error) => isSilence(error) || isRefusedHere(error, baseUrl);
  return { ...input, repeatAfter: (error) => !isFinal(error) && repeatAfter(error) };
}

const isSilence = (error: Error): boolean => error instanceof ConnectionError && error.code === "timeout";

/** Whether a call changes something. A call of a route with `pending` changes nothing, even if its method is POST. */
const changes = (route: Route): boolean => isMutation(route) && !route.pending;

/** Returns the result of a call. First calls `settled` if the server has handled the request. */
async function settle<T>(sent: Promise<T>, key: string, { idempotency }: ClientOptions): Promise<T> {
  try {
    const answer = await sent;
    await idempotency?.settled(key);
    return answer;
  } catch (error) {
    if (isSettled(error)) await idempotency?.settled(key);
    throw error;
  }
}

const policyOf = (options: ClientOptions): RetryPolicy => ({
  attempts: options.attempts ?? 4,
  maxWaitMs: options.maxWaitMs ?? 60_000,
  random: options.random ?? Math.random,
  sleep: options.sleep ?? sleep,
  now: options.now ?? (() => new Date()),
  onRetry: options.onRetry,
});

async function keyFor(
  { idempotency }: ClientOptions,
  prepared: PreparedRequest,
  { idempotencyKey }: LooseInput,
): Promise<string | undefined> {
  return idempotencyKey ?? (await idempotency?.keyFor(prepared));
}

const keyHeader = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { "idempotency-key": key };

const ifMatchHeader = ({ ifMatch }: LooseInput): Record<string, string> =>
  ifMatch === undefined ? {} : { "if-match": ifMatch };

/** Adds the header `Date` with `now` if the route has `readsClock`. Each attempt has its own time. */
const dated = (request: WireRequest, { readsClock }: Route, now: Date): WireRequest =>
  readsClock ? { ...request, headers: { ...request.headers, date: now.toUTCString() } } : request;

type AnswerLimits = Pick<WireRequest, "answerMs" | "answerBytes">;

/** The limits of answers. The maximum time of an answer is `times` multiplied by the time-out. (rule L16) */
const answers = {
  usual: { bytes: 16 * 1_048_576, times: 4 },
  large: { bytes: 256 * 1_048_576, times: 20 },
  download: { bytes: Number.POSITIVE_INFINITY, times: 700 },
} as const;

function answerLimits(
  { large, download }: Route,
  { timeoutMs }: ClientOptions,
  input: LooseInput,
): AnswerLimits {
  const { bytes, times } = answers[download ? "download" : large ? "large" : "usual"];
  return { answerBytes: bytes, answerMs: (timeoutMs ?? 30_000) * times + heldMs(input) };
}

/** The headers that the client adds, such as the credential. They replace other headers with the same names. */
interface OwnHeaders {
  readonly own: Readonly<Record<string, string>>;
}

function requestOf(
  options: ClientOptions,
  { method, url, headers, body, answerMs, answerBytes, own }: PreparedRequest & AnswerLimits & OwnHeaders,
  input: LooseInput,
): WireRequest {
  return {
    method,
    url,
    headers: { accept: "application/json", ...lengthOf(body), ...headers, ...options.headers, ...own },
    body,
    timeoutMs: (options.timeoutMs ?? 30_000) + heldMs(input),
    answerMs,
    answerBytes,
    signal: input.signal,
    onProgress: input.onProgress,
    ...(input.sink && { sink: input.sink }),
  };
}

/** Returns the header with the credential that a route needs. Throws if the credential is missing or malformed. */
async function secretFor(
  credentials: Credentials = {},
  { auth }: Route,
): Promise<Readonly<Record<string, string>>> {
  const kind = credentialFor(auth);
  if (kind === undefined) return {};
  const given = typeof credentials === "function" ? await credentials(kind) : credentials[kind];
  const secret = given?.trim();
  if (!secret) throw new MissingCredentialError(kind);
  if (/^[!-~]+$/.test(secret)) return credentialHeader(kind, secret);
  throw new InvalidInputError(`The ${credentialKinds[kind].name} contains invalid characters.`);
}

function lengthOf(body: WireRequest["body"]): Record<string, string> {
  if (body === undefined) return {};
  return { "content-length": String(typeof body === "string" ? Buffer.byteLength(body) : body.bytes) };
}

/** Returns for how many milliseconds the server may delay the answer of a long poll. */
const heldMs = ({ query, body }: LooseInput): number =>
  (Number(query?.wait ?? valueAt(body, "wait")) || 0) * 1_000;

/** The input of a call, for any endpoint. */
export interface LooseInput extends CallOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly content?: Content;
}

/** Creates the request of a call. Throws an InvalidInputError for a path parameter that cannot be in a path. */
function prepare(baseUrl: string, route: Route, input: LooseInput): PreparedRequest {
  const url = new URL(baseUrl + filled(route.path, input.params ?? {}));
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null) url.searchParams.append(name, String(value));
  }
  if (input.content) {
    return {
      method: route.method,
      url,
      headers: { "content-type": input.content.mediaType },
      body: input.content,
    };
  }
  if (input.body === undefined) return { method: route.method, url, headers: {} };
  return {
    method: route.method,
    url,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input.body),
  };
}

const filled = (path: string, params: Readonly<Record<string, unknown>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => segment(name, params[name]));

function segment(name: string, value: unknown): string {
  const text = String(value ?? "").trim();
  // A dot segment would change the path.
  if (text === "" || text === "." || text === "..")
    throw new InvalidInputError(`\`${name}\` is not an id: "${text}".`);
  return encodeURIComponent(text);
}

interface SentRequest {
  readonly method: string;
  readonly url: URL;
}

/** A successful answer, and the request to which it belongs. */
export interface Success extends WireAnswer {
  readonly request: SentRequest;
}

/** Returns the answer if its status is 2xx. Throws a ServerError from 400 on, otherwise an UnexpectedAnswerError. */
export function successIn(answer: WireAnswer, request: SentRequest, now: Date): Success {
  if (answer.status >= 400) throw serverError(answer, jsonOf(answer.text)?.value, now);
  if (answer.status < 200 || answer.status >= 300) throw unexpected(answer, request);
  return { ...answer, request };
}

/**
 * Returns the JSON of a success. Undefined for a download or an expected empty answer. `{}` for an empty answer
 * with an open shape. Throws an UnexpectedAnswerError for wrong answers. (rule L60)
 */
export function contentOf(
  success: Success,
  { answer, pending, repeats, download }: Pick<Route, "answer" | "pending" | "repeats" | "download">,
  params: Readonly<Record<string, unknown>> = {},
): unknown {
  if (download || (pending && success.status === 202)) return undefined;
  if (success.status === 204 || success.status === 205) {
    if (!answer || pending) return undefined;
    if (answer.isOpen) return {};
    throw unexpected(success, success.request);
  }
  if (answer?.isOpen && success.status === 201 && success.text === "") return {};
  const json = jsonOf(success.text);
  if (!json || (answer && !fits(json.value, answer))) throw unexpected(success, success.request);
  if (repeats && !isSame(valueAt(json.value, "id"), params[repeats]))
    throw unexpected(success, success.request);
  return json.value;
}

/**
 * Whether an answer has the expected shape. Unless the shape is open, an object needs at least one expected
 * field. (rule L60)
 */
function fits(value: unknown, { isList, fields, isOpen = false }: Shape): boolean {
  if (Array.isArray(value)) return isList;
  if (isList || !isObject(value)) return false;
  return isOpen || fields.some((name) => name in value);
}

const isSame = (answered: unknown, asked: unknown): boolean =>
  typeof answered === "string" && answered.toLowerCase() === String(asked).trim().toLowerCase();

function serverError(answer: WireAnswer, body: unknown, now: Date): ServerError {
  const { status, headers } = answer;
  return new ServerError({
    status,
    code: textAt(body, "code") || textAt(body, "error", "code") || `http_${status}`,
    message: messageIn(body) ?? `The server answered with status ${status}${kindOf(answer)}.`,
    issues: issuesIn(body),
    requestId: headers["x-request-id"] ?? (textAt(body, "requestId") || undefined),
    retryAfterSeconds: retryAfterSeconds(headers["retry-after"], headers.date, now),
    body,
  });
}

function unexpected(
  answer: WireAnswer,
  { method, url }: { method: string; url: URL },
): UnexpectedAnswerError {
  const what = `${method} ${url.origin}${url.pathname} was answered with status ${answer.status}${kindOf(answer)}`;
  return new UnexpectedAnswerError(
    answer.status,
    `${what}, and that is not the answer of an Innkeep server. Is this the address of an Innkeep server?`,
  );
}

/** Returns the message of an error. Servers other than Innkeep use other fields. A very long message is cut. */
function messageIn(body: unknown): string | undefined {
  const message = textAt(body, "error") || textAt(body, "message") || textAt(body, "error", "message");
  return message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message || undefined;
}

/** The maximum length of a printed message of a server. The messages of Innkeep are shorter. */
const longestMessage = 2_000;

/** Returns the faults that an error answer lists. */
export function issuesIn(body: unknown): Issue[] {
  return listAt(body, "issues").map((issue) => ({
    path: textAt(issue, "path"),
    message: textAt(issue, "message") || "is not valid",
  }));
}

/** The maximum nesting of an accepted answer. Answers of the API have fewer levels: metadata has five. (rule L16) */
const mostLevels = 100;

/** Some proxies write this character before the JSON. RFC 8259 allows readers to ignore it. */
const byteOrderMark = "\uFEFF";

function jsonOf(text: string): { readonly value: unknown } | undefined {
  if (isNestedDeeperThan(text, mostLevels)) return undefined;
  try {
    return { value: JSON.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text) };
  } catch {
    return undefined;
  }
}

function kindOf({ headers, text }: WireAnswer): string {
  if (text === "") return " and an empty body";
  const [kind] = headers["content-type"]?.split(";") ?? [];
  return kind && kind !== "application/json" ? ` and ${kind.trim()}` : "";
}

/** The maximum time of a Retry-After header: one year. Longer times are cut. */
const mostRetryAfterSeconds = 31_536_000;

/**
 * Reads a Retry-After header as whole seconds from now, at most `mostRetryAfterSeconds`. Undefined if the
 * header is not valid.
 */
function retryAfterSeconds(
  header: string | undefined,
  serverDate: string | undefined,
  now: Date,
): number | undefined {
  const value = header?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value), mostRetryAfterSeconds);
  const then = Date.parse(value);
  if (Number.isNaN(then)) return undefined;
  // Clocks may differ, so dates are compared with the server's `Date` header.
  const from = Date.parse(serverDate ?? "");
  const seconds = Math.ceil((then - (Number.isNaN(from) ? now.getTime() : from)) / 1_000);
  return Math.min(Math.max(0, seconds), mostRetryAfterSeconds);
}

export interface FeedbackFiles {
  readonly images: readonly SentFile[];
  readonly videos: readonly SentFile[];
  readonly attachments: readonly SentFile[];
}

/** A file with its position in the body. */
interface FilePosition {
  readonly field: keyof FeedbackFiles;
  /** The position in its field, from 0. */
  readonly at: number;
  readonly file: SentFile;
}

/** Returns every file with its position in the body. */
export const placesOf = ({ images, videos, attachments }: FeedbackFiles): readonly FilePosition[] => [
  ...images.map((file, at): FilePosition => ({ field: "images", at, file })),
  ...videos.map((file, at): FilePosition => ({ field: "videos", at, file })),
  ...attachments.map((file, at): FilePosition => ({ field: "attachments", at, file })),
];

// The size is a multiple of 3. So the base64 of a block needs no padding before the next block.
const jsonBlockBytes = 3 * 16_384;

/** Returns feedback as JSON, with files as base64 data URLs. Files are read in blocks to save memory. */
export function feedbackBody(
  fields: Readonly<Record<string, unknown>>,
  { images, videos, attachments }: FeedbackFiles,
): FileContent {
  const pieces = object([
    ...Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): Member => [name, [JSON.stringify(value)]]),
    ...listed("images", images.map(dataUrl)),
    ...listed("videos", videos.map(dataUrl)),
    ...listed("attachments", attachments.map(attachment)),
  ]);
  return {
    mediaType: "application/json",
    ...measured(pieces, (bytes) => 4 * Math.ceil(bytes / 3)),
    read: () => encoded(pieces),
  };
}

/** Text that is sent unchanged, or a file that is sent as base64. */
type JsonPiece = string | SentFile;

type Member = readonly [name: string, value: readonly JsonPiece[]];

const dataUrl = (file: SentFile): JsonPiece[] => [`"data:${file.mediaType};base64,`, file, '"'];

const attachment = (file: SentFile): JsonPiece[] =>
  object([
    ["name", [JSON.stringify(file.name)]],
    ["data", dataUrl(file)],
  ]);

const listed = (name: string, values: JsonPiece[][]): Member[] =>
  values.length === 0 ? [] : [[name, ["[", ...joined(values), "]"]]];

const object = (members: readonly Member[]): JsonPiece[] => [
  "{",
  ...joined(members.map(([name, value]) => [`${JSON.stringify(name)}:`, ...value])),
  "}",
];

const joined = (values: readonly (readonly JsonPiece[])[]): JsonPiece[] =>
  values.flatMap((value, at) => (at === 0 ? value : [",", ...value]));

async function* encoded(pieces: readonly JsonPiece[]): AsyncGenerator<Buffer, void, undefined> {
  for (const piece of pieces) {
    if (typeof piece === "string") yield Buffer.from(piece);
    else yield* base64Of(piece);
  }
}

async function* base64Of(file: SentFile): AsyncGenerator<Buffer, void, undefined> {
  for await (const block of blocksOf(file, jsonBlockBytes))
    yield Buffer.from(block.toString("base64"), "latin1");
}

/** A form. Several files can have the same field name. */
export interface Form {
  readonly fields: Readonly<Record<string, string | undefined>>;
  readonly files: Readonly<Record<string, readonly SentFile[]>>;
}

const formBlockBytes = 65_536;

/**
 * Returns a multipart/form-data body. `boundary` has at most 60 letters, digits and hyphens. No file contains
 * `boundary`.
 */
export function formBody({ fields, files }: Form, boundary: string): FileContent {
  const texts = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  const sent = Object.entries(files).flatMap(([name, several]) => several.map((file) => ({ name, file })));
  const pieces: FormPiece[] = [
    ...texts.map(([name, value]) => Buffer.from(`${headOf(boundary, name)}\r\n${value}\r\n`)),
    ...sent.flatMap(({ name, file }) => [
      Buffer.from(`${headOf(boundary, name, file)}\r\n`),
      file,
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ];
  return {
    mediaType: `multipart/form-data; boundary=${boundary}`,
    ...measured(pieces, (bytes) => bytes),
    read: () => bytesOf(pieces),
    view: viewOf({ fields, files }),
  };
}

type FormPiece = Buffer | SentFile;

function headOf(boundary: string, name: string, file?: SentFile): string {
  const named = file ? `; filename="${quoted(file.name)}"` : "";
  const kind = file ? `content-type: ${file.mediaType}\r\n` : "";
  return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${named}\r\n${kind}`;
}

/** Escapes quotation marks and line ends in a name, in the same way as browsers. */
const quoted = (name: string): string =>
  name.replace(/["\r\n]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`);

async function* bytesOf(pieces: readonly FormPiece[]): AsyncGenerator<Buffer, void, undefined> {
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) yield piece;
    // Each block is copied, because the next block is read into the same buffer, perhaps before this block was sent.
    else for await (const block of blocksOf(piece, formBlockBytes)) yield Buffer.from(block);
  }
}

const viewOf = ({ fields, files }: Form) => ({
  ...fields,
  ...Object.fromEntries(
    Object.entries(files).map(([name, several]) => [
      name,
      several.map((file) => `<${file.mediaType} ${file.name}, ${file.bytes} bytes>`),
    ]),
  ),
});

/** A file on disk that a request sends. */
export interface SentFile {
  readonly path: string;
  /** The file name that readers of the feedback see. */
  readonly name: string;
  readonly mediaType: string;
  /** The exact size in bytes. If the file has a different size when it is sent, the request fails. */
  readonly bytes: number;
  /** The content of the file. If it is set, it is sent instead of the bytes on disk. */
  readonly content?: Buffer;
}

/** A body that contains files. The files are read while they are sent. */
export interface FileContent extends Content {
  /** The files in the order in which they are sent. A file ends at the position `endsAt` of the body. */
  readonly files: readonly (SentFile & { readonly endsAt: number })[];
  read(): AsyncIterable<Buffer>;
}

/** Returns the body's length and each file's end. `sentBytes` converts a file size to its size in the body. */
function measured(
  pieces: readonly (string | Buffer | SentFile)[],
  sentBytes: (bytes: number) => number,
): Pick<FileContent, "bytes" | "files"> {
  const files: (SentFile & { readonly endsAt: number })[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    if (typeof piece === "string" || Buffer.isBuffer(piece)) bytes += Buffer.byteLength(piece);
    else {
      bytes += sentBytes(piece.bytes);
      files.push({ ...piece, endsAt: bytes });
    }
  }
  return { bytes, files };
}

/** Yields a file in blocks. All blocks share one buffer. Throws if the file size has changed. */
async function* blocksOf(
  { path, name, bytes, content }: SentFile,
  blockBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  if (content) {
    for (let at = 0; at < bytes; at += blockBytes) yield content.subarray(at, at + blockBytes);
    return;
  }
  const handle = await open(path);
  try {
    if ((await handle.stat()).size !== bytes) throw changed(name);
    const block = Buffer.allocUnsafe(Math.min(bytes, blockBytes));
    for (let left = bytes; left > 0; left -= blockBytes) {
      const wanted = block.subarray(0, Math.min(left, blockBytes));
      if (!(await fill(handle, wanted))) throw changed(name);
      yield wanted;
    }
  } finally {
    await handle.close();
  }
}

/** Reads from a file until the buffer is full. Returns false if the file ends before that. */
async function fill(handle: FileHandle, buffer: Buffer): Promise<boolean> {
  for (let filled = 0; filled < buffer.length; ) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled);
    if (bytesRead === 0) return false;
    filled += bytesRead;
  }
  return true;
}

const changed = (name: string) => new Error(`The file ${name} changed while it was sent.`);
