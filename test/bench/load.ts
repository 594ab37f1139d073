import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

/** One request, sent again and again over each connection. */
export interface LoadTarget {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bodies that are sent alternately, in place of `body`. */
  readonly bodies?: readonly string[];
  /** Returns the path of each request, in place of `path`. */
  readonly nextPath?: () => string;
  /** Further headers, used alternately. */
  readonly variants?: readonly Readonly<Record<string, string>>[];
  /** Whether each request has a different Idempotency-Key. */
  readonly freshKeys?: boolean;
  /** The load ends early after this many requests. */
  readonly most?: number;
}

export interface LoadResult {
  readonly perSecond: number;
  /** How long each answer took. */
  readonly milliseconds: readonly number[];
  /** Answers that were not 2xx, with the first line of one. */
  readonly failures: number;
  readonly failure: string | undefined;
}

/**
 * Sends the request, or its variants alternately, over open connections for a given time. Each connection sends one
 * request at a time.
 */
export function load(target: LoadTarget, milliseconds: number, connections = 32): Promise<LoadResult> {
  const { port, most, freshKeys, nextPath, body } = target;
  const nextRequest = nextPath && (() => Buffer.from(requestText({ ...target, path: nextPath() }, body)));
  const turns = { port, requests: requestsOf(target), most, freshKeys, nextRequest };
  return sendInTurns(turns, milliseconds, connections);
}

/** The same with different requests to one server, alternately. */
export function loadMixed(targets: readonly LoadTarget[], milliseconds: number, connections: number) {
  const requests = targets.flatMap(requestsOf);
  return sendInTurns({ port: targets[0]?.port ?? 0, requests }, milliseconds, connections);
}

interface Turns extends Pick<LoadTarget, "port" | "most" | "freshKeys"> {
  readonly requests: readonly Buffer[];
  /** Creates each request, in place of `requests`. */
  readonly nextRequest?: (() => Buffer) | undefined;
}

async function sendInTurns(
  { port, requests, most = Number.POSITIVE_INFINITY, freshKeys = false, nextRequest }: Turns,
  milliseconds: number,
  connections: number,
): Promise<LoadResult> {
  const keys = freshKeys ? createKeys() : undefined;
  let sent = 0;
  const next = () => {
    if (nextRequest) return nextRequest();
    const request = sent < most ? requests[sent++ % requests.length] : undefined;
    return request && keys ? keys(request) : request;
  };
  const tally: Tally = { answers: 0, failures: 0, failure: undefined, milliseconds: [] };
  const until = performance.now() + milliseconds;
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, () => drive(port, next, until, tally)));
  const seconds = (performance.now() - started) / 1_000;
  const { answers, ...result } = tally;
  return { perSecond: answers / seconds, ...result };
}

interface Tally {
  answers: number;
  failures: number;
  failure: string | undefined;
  readonly milliseconds: number[];
}

type Next = () => Buffer | undefined;

function drive(port: number, next: Next, until: number, tally: Tally): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let sentAt = 0;
    const sendNext = () => {
      sentAt = performance.now();
      const request = performance.now() < until ? next() : undefined;
      if (request) socket.write(request);
      else socket.destroy();
    };
    socket.setNoDelay(true);
    socket.on("connect", sendNext);
    socket.on("error", reject);
    socket.on("close", () => resolve());
    onAnswers(socket, (firstLine) => {
      tally.answers += 1;
      tally.milliseconds.push(performance.now() - sentAt);
      if (!/^HTTP\/1\.1 2/.test(firstLine)) {
        tally.failures += 1;
        tally.failure ??= firstLine;
      }
      sendNext();
    });
  });
}

/**
 * Sends this number of requests per second, over 8 connections. The time of an answer counts from the moment at which
 * its request was due, so a slow answer delays the next one, too.
 */
export async function loadAtRate(
  target: LoadTarget,
  perSecond: number,
  milliseconds: number,
): Promise<Pick<LoadResult, "milliseconds" | "failures">> {
  const connections = 8;
  const [request = Buffer.alloc(0)] = requestsOf(target);
  const took: number[] = [];
  let failures = 0;
  const began = performance.now();
  const drivePaced = (first: number) =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(target.port, "127.0.0.1");
      let due = began + (first * 1_000) / perSecond;
      let sentAt = 0;
      const send = () => {
        sentAt = performance.now();
        socket.write(request);
      };
      socket.setNoDelay(true);
      socket.on("connect", send);
      socket.on("error", reject);
      socket.on("close", () => resolve());
      onAnswers(socket, (firstLine) => {
        // A timer may come a little early.
        took.push(performance.now() - Math.min(due, sentAt));
        if (!/^HTTP\/1\.1 2/.test(firstLine)) failures += 1;
        due += (connections * 1_000) / perSecond;
        if (due > began + milliseconds) socket.destroy();
        else setTimeout(send, Math.max(0, due - performance.now()));
      });
    });
  await Promise.all(Array.from({ length: connections }, (_, first) => drivePaced(first)));
  return { milliseconds: took, failures };
}

/**
 * Calls `done` for each complete answer. It must be cheap, because it uses the processor of the server on a small
 * machine.
 */
function onAnswers(socket: Socket, answered: (firstLine: string) => void): void {
  let missing = 0;
  let firstLine = "";
  let head: Buffer = Buffer.alloc(0);
  let isStream = false;
  socket.on("data", (chunk: Buffer) => {
    let rest = chunk;
    if (missing === 0) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      const text = head.toString("latin1", 0, end);
      firstLine = text.slice(0, text.indexOf("\r"));
      isStream = /\r\ntransfer-encoding: chunked/i.test(text);
      missing = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0) + 1;
      rest = head.subarray(end + 4);
      head = Buffer.alloc(0);
    }
    if (isStream && !rest.subarray(-lastChunk.length).equals(lastChunk)) return;
    missing -= isStream ? missing : rest.length;
    if (missing > 1) return;
    missing = 0;
    answered(firstLine);
  });
}

const lastChunk = Buffer.from("0\r\n\r\n");

function requestsOf(target: LoadTarget): Buffer[] {
  const { variants = [{}], bodies = [target.body] } = target;
  const ofVariant = (more: Readonly<Record<string, string>>) =>
    bodies.map((body) =>
      Buffer.from(requestText({ ...target, headers: { ...target.headers, ...more } }, body)),
    );
  return variants.flatMap(ofVariant);
}

const keyHeader = "\r\nIdempotency-Key: ";

/** Creates a function that puts the next key into a request, after its first line. */
function createKeys(): (request: Buffer) => Buffer {
  const beginning = randomBytes(8).toString("hex");
  let count = 0;
  return (request) => {
    const end = request.indexOf("\r\n");
    const header = Buffer.from(`${keyHeader}${beginning}-${String(count++).padStart(8, "0")}`);
    return Buffer.concat([request.subarray(0, end), header, request.subarray(end)]);
  };
}

/** A request as it is written to a connection. */
export function requestText(
  { method, path, headers }: Pick<LoadTarget, "method" | "path" | "headers">,
  body: string | undefined,
): string {
  const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
  const lines = Object.entries({ Host: "127.0.0.1", ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`${method} ${path} HTTP/1.1`, ...lines, "", body ?? ""].join("\r\n");
}
