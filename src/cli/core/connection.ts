import type { Client } from "../../client/call.ts";
import { credentialFor, credentialHeader, type ProxySettings } from "../../client/connection.ts";
import { ServerError, UnexpectedAnswerError } from "../../client/errors.ts";
import type { ClientOptions, Exchange, Idempotency, PreparedRequest } from "../../client/options.ts";
import { redactBody, redactHeaders, redactText, redactUrl } from "../../client/redact.ts";
import type { Route } from "../../client/routes.ts";
import { clientOf, createSender, type Sender } from "../../client/send.ts";
import { lastingTransport } from "../../client/transport.ts";
import type { Pause } from "../../client/wait.ts";
import type { Context, Invocation } from "./context.ts";
import { asLogged, note, printable } from "./output.ts";
import { missingCredential } from "./settings.ts";

/** Returns the function that sends the requests of a command. */
export const connect = (invocation: Invocation, limits: Limits = {}): Sender =>
  createSender({ ...connectionOptions(invocation), ...limits });

/** Returns a client for a long command. Its connections stay open between requests. */
export function lastingClient(invocation: Invocation, limits: Limits = {}): Client {
  const { context } = invocation;
  const transport = context.transport ?? lastingTransport(proxyOf(context));
  return clientOf(connect(invocation, { transport, ...limits }));
}

type Limits = Pick<ClientOptions, "attempts" | "timeoutMs" | "transport" | "onRetry">;

/** Returns a text with the error. The text also says when or for how long the command tries again. */
export const retryText = ({ waitMs, leftMs, error }: Pause): string =>
  asksForPause(error)
    ? `${error.message} Trying again in ${secondsOf(waitMs)} s, as the server asks.`
    : `${error.message} Trying again for up to ${secondsOf(leftMs)} s.`;

const asksForPause = (error: Error): boolean =>
  error instanceof ServerError && (error.retryAfterSeconds ?? 0) > 0;

const secondsOf = (milliseconds: number): number => Math.ceil(milliseconds / 1_000);

/** Returns a function that prints each error only once, even if the error causes several retries. */
function sayingOnce(say: (text: string) => void): (pause: Pause) => void {
  const said = new Set<string>();
  return (pause) => {
    if (!said.has(pause.error.message)) say(retryText(pause));
    said.add(pause.error.message);
  };
}

function connectionOptions(invocation: Invocation): ClientOptions {
  const { context, flags } = invocation;
  return {
    baseUrl: invocation.baseUrl(),
    async credentials(kind) {
      const found = await invocation.credential(kind);
      if (!found) throw missingCredential(invocation, kind);
      return found.secret;
    },
    proxy: proxyOf(context),
    timeoutMs: (flags.timeout ?? 30) * 1_000,
    attempts: Number.POSITIVE_INFINITY,
    maxWaitMs: (flags.maxWait ?? patienceOf(context)) * 1_000,
    onRetry: sayingOnce((text) => note(invocation, text)),
    onExchange: traceOf(invocation),
    beforeMutation: flags.dryRun
      ? (request, route) => {
          throw new DryRun(viewOf(request, route));
        }
      : undefined,
    idempotency: keysOf(invocation),
    headers: { "user-agent": `innkeep/${context.version}` },
    signal: context.signal,
    transport: context.transport,
    now: context.clock.now,
    random: context.random,
    sleep: context.clock.sleep,
  };
}

/** Returns for how many seconds a failed request is retried. A person at a terminal waits less. */
const patienceOf = ({ env, io }: Context): number => (io.stderr.isTerminal && !env.CI ? 15 : 60);

/** Returns the function that logs each request. Undefined if neither `--debug` nor INNKEEP_DEBUG is set. */
export const traceOf = ({ context, flags }: Invocation): ClientOptions["onExchange"] =>
  flags.debug || context.env.INNKEEP_DEBUG ? debugTrace(context) : undefined;

/** Returns the proxy settings from the standard environment variables. */
export const proxyOf = ({ env }: Pick<Context, "env">): ProxySettings => ({
  http: env.http_proxy || env.HTTP_PROXY,
  https: env.https_proxy || env.HTTPS_PROXY,
  none: env.no_proxy || env.NO_PROXY,
});

function keysOf(invocation: Invocation): Idempotency {
  const { context, flags } = invocation;
  const { idempotencyKey } = flags;
  if (idempotencyKey !== undefined) return { keyFor: async () => idempotencyKey, settled: async () => {} };
  let keys: Promise<Idempotency> | undefined;
  // The module is loaded only when a key is needed, because the code for hashes loads slowly.
  const load = async () =>
    (await import("./idempotency-keys.ts")).idempotencyKeys(context, invocation.stateFolder);
  return {
    async keyFor(request) {
      keys ??= load();
      return (await keys).keyFor(request);
    },
    async settled(key) {
      await (await keys)?.settled(key);
    },
  };
}

/** Writes each request and answer to standard error, without secrets and without the content of files. */
const debugTrace =
  ({ io, env }: Context) =>
  (exchange: Exchange): void =>
    io.stderr.write(`${asLogged(env, printable(linesOf(exchange).join("\n")))}\n`);

function linesOf({ request, answer, error, milliseconds }: Exchange): string[] {
  const { method, url, headers, body } = request;
  const sent = typeof body === "object" ? `<${body.mediaType}, ${body.bytes} bytes>` : redactBody(body ?? "");
  const received = answer
    ? [
        `< ${answer.status} (${milliseconds} ms)`,
        ...headerLines("<", answer.headers),
        ...some("<", redactBody(answer.text)),
      ]
    : [`< ${redactText(String(error))} (${milliseconds} ms)`];
  return [`> ${method} ${redactUrl(url)}`, ...headerLines(">", headers), ...some(">", sent), ...received];
}

const headerLines = (mark: string, headers: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(redactHeaders(headers)).map(([name, value]) => `${mark} ${name}: ${value}`);

const some = (mark: string, text: string): string[] => (text === "" ? [] : [`${mark} ${text}`]);

/**
 * Yields all pages of a list. Throws an UnexpectedAnswerError if a cursor repeats, because the list would never
 * end.
 */
export async function* allPages<Page extends { readonly nextCursor?: string | null | undefined }>(
  read: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield page;
    cursor = page.nextCursor ?? undefined;
    if (cursor !== undefined && seen.has(cursor))
      throw new UnexpectedAnswerError(200, "The server returned the same page of the list twice.");
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
}

/** Thrown instead of sending a request: `--dry-run` prints the request and ends the command. */
export class DryRun extends Error {
  readonly request: RequestView;

  constructor(request: RequestView) {
    super("dry run");
    this.name = "DryRun";
    this.request = request;
  }
}

/** A request to print, without secrets and without the content of files. */
export interface RequestView {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

function viewOf({ method, url, headers, body }: PreparedRequest, { auth }: Route): RequestView {
  const kind = credentialFor(auth);
  const sent = { ...headers, ...(kind && credentialHeader(kind, "")) };
  return { method, url: redactUrl(url), headers: redactHeaders(sent), body: bodyView(body) };
}

/** Returns the request as text, in the form of HTTP. */
export function textOfRequest({ method, url, headers, body }: RequestView): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = body === null ? [] : ["", typeof body === "string" ? body : JSON.stringify(body, null, 2)];
  return [`${method} ${url}`, ...lines, ...text].join("\n");
}

function bodyView(body: PreparedRequest["body"]): unknown {
  if (body === undefined) return null;
  if (typeof body === "object") return body.view ?? `<${body.mediaType}, ${body.bytes} bytes>`;
  return JSON.parse(redactBody(body));
}
