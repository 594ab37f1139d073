import { networkInterfaces } from "node:os";
import type { Client } from "../../client/call.ts";
import { isLoopback } from "../../client/connection.ts";
import { ConnectionError, ServerError } from "../../client/errors.ts";
import { nodeTransport } from "../../client/node-transport.ts";
import { isTemporary } from "../../client/wait.ts";
import type { AppEvent } from "../../contract/events.ts";
import { type Fields, fieldsOf, jsonIn, textAt } from "../../contract/json.ts";
import { limits } from "../../contract/limits.ts";
import { shownAddress } from "../../words/visible.ts";
import { isWebhookSecret, newWebhookSecret, webhookHeaders } from "../../words/webhook-signature.ts";
import { choices } from "../core/choices.ts";
import { didYouMean, usageError } from "../core/cli-error.ts";
import { duration, instantOf } from "../core/command.ts";
import { lastingClient } from "../core/connection.ts";
import type { Invocation } from "../core/context.ts";
import { appIdOf } from "../core/ids.ts";
import { canAsk } from "../core/input.ts";
import { note, painter, printable, printLine, printOne } from "../core/output.ts";
import { callDevServer, developmentTime, itemsOf } from "./development-server.ts";

export interface ListenFlags {
  readonly forwardTo: string;
  readonly events?: string;
  readonly since?: string;
}

/** The parameters of every message to the local address. */
interface Forwarding {
  readonly url: URL;
  readonly secret: string;
}

/** Sends each event of an app to a local address, as a webhook. Ends only when interrupted. (rule O34) */
export async function listen(invocation: Invocation, flags: ListenFlags): Promise<undefined> {
  const { context } = invocation;
  const url = urlOf(flags.forwardTo);
  const wanted = typesOf(flags.events);
  const given = context.env.INNKEEP_WEBHOOK_SECRET;
  if (given !== undefined && !isWebhookSecret(given))
    throw usageError("INNKEEP_WEBHOOK_SECRET must be `whsec_` and 24 to 64 bytes in base64.");
  const since = await startOf(invocation, flags.since);
  const appId = await appIdOf(invocation);
  const secret = given ?? newWebhookSecret();
  const forwarder = createForwarder(invocation, { url, secret });
  const stopKeys =
    canAsk(invocation) && !invocation.flags.json ? context.io.onKey(forwarder.pressed) : undefined;
  try {
    for await (const events of eventsOf(invocation, { appId, since, ready })) {
      for (const event of events.filter(({ type }) => wanted === undefined || wanted.has(type)))
        await forwarder.forward(event);
    }
  } finally {
    stopKeys?.();
  }
  return undefined;

  function ready(): void {
    const forwardTo = shownAddress(url.href);
    const start = { forwardTo, appId, ...(given === undefined ? { secret } : {}) };
    if (invocation.flags.json) printLine(invocation, start);
    else if (given === undefined) printOne(invocation, start, () => `Signing secret: ${secret}`);
    const keys = stopKeys ? " Press r to send the last event again, Ctrl+C to end." : "";
    note(invocation, `Forwarding the events of ${appId} to ${forwardTo}.${keys}`);
  }
}

/**
 * Returns the address from a URL, `host:port/path` or a port. Throws a usage error for other texts and other
 * machines.
 */
function urlOf(given: string): URL {
  const port = /^:?(\d{1,5})(\/.*)?$/.exec(given);
  const text = port ? `http://127.0.0.1:${port[1]}${port[2] ?? ""}` : given;
  const full = /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  const isWeb = url && ["http:", "https:"].includes(url.protocol);
  if (isWeb && isThisMachine(url.hostname)) return url;
  if (isWeb)
    throw usageError(
      `--forward-to must be an address of this machine, not of ${url.hostname}.`,
      "Allowed are localhost, names that end with .localhost, and the IP addresses of this machine. For another machine, create a webhook.",
    );
  throw usageError(
    `--forward-to must be an address such as http://127.0.0.1:3000/webhooks, not "${shownAddress(given)}".`,
  );
}

function isThisMachine(host: string): boolean {
  if (isLoopback(host) || host === "0.0.0.0" || host === "[::]") return true;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some(({ address }) => host === address || host === `[${address}]`);
}

/** Returns the selected types. Undefined means all types. `run.*` means all types that begin with `run.`. */
function typesOf(given: string | undefined): ReadonlySet<string> | undefined {
  if (given === undefined) return undefined;
  const names = given
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return new Set(names.flatMap(fittingTypes));
}

function fittingTypes(name: string): readonly string[] {
  const start = name.endsWith("*") ? name.slice(0, -1) : undefined;
  const found = choices.eventTypes.filter((type) =>
    start === undefined ? type === name : type.startsWith(start),
  );
  if (found.length > 0) return found;
  throw usageError(
    `There is no event \`${name}\`.${didYouMean(name, choices.eventTypes)}`,
    `--events takes: ${choices.eventTypes.join(", ")}`,
  );
}

/**
 * Returns the time from which events are requested. Undefined means from now on. A duration counts back from
 * the server's time.
 */
async function startOf(invocation: Invocation, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  if (/^\d{4}-/.test(given)) return new Date(instantOf("--since", given) ?? given).toISOString();
  const seconds = durationOf(given);
  const now = (await developmentTime(invocation)) ?? invocation.context.clock.now();
  return new Date(now.getTime() - seconds * 1_000).toISOString();
}

function durationOf(given: string): number {
  try {
    return duration(given);
  } catch {
    throw usageError(`--since must be a length of time such as 2h, or an instant, not "${given}".`);
  }
}

interface Reading {
  readonly appId: string;
  /** The time from which events are requested. Undefined means from now on. */
  readonly since: string | undefined;
  /** Called once, when the server has answered for the first time. */
  readonly ready: () => void;
}

const mostPauseMs = 15_000;

const leastHeldMs = 1_000;

/** Yields each event once, in order, even after a failure of the server or network. (rule O34) */
async function* eventsOf(
  invocation: Invocation,
  { appId, since, ready }: Reading,
): AsyncGenerator<readonly AppEvent[], never, undefined> {
  const { clock, signal } = invocation.context;
  const client = lastingClient(invocation);
  const seen = createSeen(since ?? clock.now().toISOString());
  let position = since;
  let isReady = false;
  let pauseMs = 0;
  for (;;) {
    signal.throwIfAborted();
    const askedAt = clock.now().getTime();
    try {
      const { items, next } = await ask(client, { appId, since: position, hold: isReady, signal });
      if (pauseMs > 0) note(invocation, "The server answers again.");
      if (!isReady) ready();
      const held = isReady;
      [isReady, pauseMs, position] = [true, 0, next];
      const fresh = items.filter(seen.isNew);
      yield fresh;
      // If the server answered without waiting for an event, there must be a pause before the next request.
      if (held && fresh.length === 0 && clock.now().getTime() - askedAt < leastHeldMs)
        await clock.sleep(leastHeldMs, signal);
    } catch (error) {
      signal.throwIfAborted();
      const restart = isOtherData(error) ? await restartOf(invocation, seen.lastAt()) : undefined;
      if (restart !== undefined && position !== restart) {
        note(invocation, "The server was reset or restored.");
        position = restart;
        continue;
      }
      if (!(error instanceof Error) || !isTemporary(error)) throw error;
      if (pauseMs === 0) note(invocation, `${error.message} Trying again until the server answers.`);
      pauseMs = Math.min(mostPauseMs, pauseMs * 2 || 500);
      await clock.sleep(pauseMs, signal);
    }
  }
}

const mostEvents = String(limits.listPage.max);

/** Sends one request. With `hold`, the server waits for an event if there is none yet. */
const ask = (
  client: Client,
  {
    appId,
    since,
    hold,
    signal,
  }: {
    readonly appId: string;
    readonly since: string | undefined;
    readonly hold: boolean;
    readonly signal: AbortSignal;
  },
) =>
  client.events.list({
    params: { appId },
    query: {
      limit: mostEvents,
      ...(since === undefined ? {} : { since }),
      ...(hold ? { wait: String(limits.waitSeconds) } : {}),
    },
    signal,
    repeatAfter: () => false,
  });

/** Whether the server refused `since`. After a reset or restore, the server may not know the old position. */
const isOtherData = (error: unknown): boolean =>
  error instanceof ServerError &&
  error.status === 400 &&
  error.issues.some(({ path }) => path === "since" || path === "query.since");

const beforeReset = 60_000;

/**
 * Returns the time from which events are requested after a reset. The reset may have set the clock of a
 * development server to a time before `lastAt`.
 */
async function restartOf(invocation: Invocation, lastAt: string): Promise<string> {
  const now = await developmentTime(invocation);
  const since = now && new Date(now.getTime() - beforeReset).toISOString();
  return since !== undefined && since < lastAt ? since : lastAt;
}

const mostSeen = 2_000;

/**
 * Recognises events that were already sent. A request for events since a time also returns the events of
 * exactly that time.
 */
function createSeen(startedAt: string) {
  const ids = new Set<string>();
  let lastAt = startedAt;
  return {
    lastAt: () => lastAt,
    isNew({ id, timestamp }: AppEvent): boolean {
      if (ids.has(id)) return false;
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > mostSeen && oldest !== undefined) ids.delete(oldest);
      lastAt = timestamp;
      return true;
    },
  };
}

/**
 * Returns two functions. `forward` sends events one after another. `pressed` repeats the last event if the key
 * is `r`.
 */
function createForwarder(invocation: Invocation, forwarding: Forwarding) {
  let last: AppEvent | undefined;
  let turn: Promise<void> = Promise.resolve();
  const inTurn = (event: AppEvent, again: boolean): Promise<void> => {
    turn = turn.then(async () =>
      show(invocation, event, { ...(await send(invocation, forwarding, event)), again }),
    );
    return turn;
  };
  return {
    forward(event: AppEvent): Promise<void> {
      last = event;
      return inTurn(event, false);
    },
    pressed(key: string): void {
      if (key !== "r") return;
      if (last === undefined) note(invocation, "There is no event yet.");
      // The error is not thrown here. The next call of `forward` throws it and ends the command.
      else inTurn(last, true).catch(() => {});
    },
  };
}

/** The result for an event: the status of the answer, or the reason why there is no answer. */
interface Forwarded {
  readonly status: number | null;
  readonly error: string | null;
  readonly milliseconds: number;
}

/** The time limit for the answer of the local address. It is the same as for a webhook. (rule O28) */
const timeLimitMs = 15_000;

const mostAnswerBytes = 65_536;

const toLocalAddress = nodeTransport();

async function send(
  { context }: Invocation,
  { url, secret }: Forwarding,
  { id, type, timestamp, data }: AppEvent,
): Promise<Forwarded> {
  const body = JSON.stringify({ type, timestamp, data });
  const seconds = Math.floor(context.clock.now().getTime() / 1_000);
  const started = performance.now();
  const took = () => Math.round(performance.now() - started);
  try {
    const { status } = await toLocalAddress({
      ...{ method: "POST", url, body, signal: context.signal },
      headers: {
        "content-type": "application/json",
        "user-agent": `innkeep/${context.version}`,
        ...webhookHeaders({ id, seconds, body }, [secret]),
      },
      ...{ timeoutMs: timeLimitMs, answerMs: timeLimitMs, answerBytes: mostAnswerBytes },
    });
    return { status, error: null, milliseconds: took() };
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    return { status: null, error: error.message, milliseconds: took() };
  }
}

function show(
  invocation: Invocation,
  event: AppEvent,
  { status, error, milliseconds, again }: Forwarded & { readonly again: boolean },
): void {
  const { context, flags } = invocation;
  const { id, type, timestamp } = event;
  const shown = { id, type, timestamp, status, error, milliseconds, again };
  if (flags.json) {
    printLine(invocation, shown);
    return;
  }
  const paint = painter(context, flags, context.io.stdout);
  const isGood = status !== null && status >= 200 && status < 300;
  const answer = paint(isGood ? "green" : "red", status === null ? printable(error ?? "") : String(status));
  const time = timestamp.slice(11, 19);
  const words = [time, type, again ? "(again)" : "", "→", answer, `${milliseconds} ms`, paint("dim", id)];
  printOne(invocation, shown, () => ({ painted: words.filter((word) => word !== "").join("  ") }));
}

export interface TriggerFlags {
  readonly set?: readonly string[];
  readonly app?: string;
}

/** Makes the development server cause an event, and prints the events that followed from it. (rule O35) */
export async function trigger(
  invocation: Invocation,
  { set = [], app }: TriggerFlags,
  event: string,
): Promise<undefined> {
  if (!choices.eventTypes.some((type) => type === event))
    throw usageError(
      `There is no event \`${event}\`.${didYouMean(event, choices.eventTypes)}`,
      `The events are: ${choices.eventTypes.join(", ")}`,
    );
  const body = { event, set: objectOf(set), ...(app === undefined ? {} : { app }) };
  const answer = await callDevServer(invocation, { method: "POST", path: "/dev/trigger", body });
  printOne(invocation, answer, () => itemsOf(answer).map(lineOf).join("\n"));
}

const lineOf = (event: Fields): string =>
  `${textAt(event, "type")}  ${textAt(event, "id")}  ${textAt(event, "data", "url")}`;

/** Makes one object from texts such as `path=text` and `path:=json`. Dots in a path separate nested fields. */
function objectOf(given: readonly string[]): Fields {
  return given.map(pairOf).reduce<Fields>((whole, { path, value }) => withValue(whole, path, value), {});
}

function withValue(whole: Fields, [name = "", ...rest]: readonly string[], value: unknown): Fields {
  return { ...whole, [name]: rest.length === 0 ? value : withValue(fieldsOf(whole[name]), rest, value) };
}

function pairOf(given: string): { readonly path: readonly string[]; readonly value: unknown } {
  const at = given.indexOf("=");
  const isJson = given[at - 1] === ":";
  const path = given.slice(0, isJson ? at - 1 : Math.max(0, at)).split(".");
  if (path.some((name) => name.trim() === "" || name === "__proto__"))
    throw usageError(`--set must be path=value or path:=json, not "${given}".`);
  const text = given.slice(at + 1);
  const value = isJson ? jsonIn(text) : text;
  if (value === undefined) throw usageError(`--set ${path.join(".")} must be JSON after \`:=\`.`);
  return { path, value };
}
