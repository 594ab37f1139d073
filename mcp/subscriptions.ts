import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { ServerError } from "../src/client/errors.ts";
import { longPoll } from "../src/client/wait.ts";
import { isText, listAt, valueAt } from "../src/contract/json.ts";
import { limits } from "../src/contract/limits.ts";
import type { Topics } from "../src/programs.ts";
import type { Deps } from "./deps.ts";
import { isNotFound, readRun } from "./refusals.ts";

/** The subscriptions of one client over standard input, in both eras of the protocol: `legacy` and `modern`. */
interface Subscriptions {
  /**
   * Sends notifications of changes through `server` from now on. In the era `legacy`, `server` also handles
   * subscription requests.
   */
  serve(server: McpServer, era: "legacy" | "modern"): void;
  /**
   * Delays a subscription request of the protocol era `modern` until its resources are followed, at most
   * `longestStartMs`.
   */
  watchRequests(transport: StdioServerTransport): void;
  close(): void;
}

/** The maximum milliseconds before a subscription is answered, even without an answer of the API. */
const longestStartMs = 5_000;

/** Creates the subscriptions of a connection. Loads no module and sends no request before the first subscription. */
export function createSubscriptions(deps: Pick<Deps, "clock" | "connection">): Subscriptions {
  const followed = new Map<string, readonly string[]>();
  let server: McpServer | undefined;

  const uris = () => [...new Set([...followed.values()].flat())];
  const notify = (topic: string): void => {
    for (const uri of uris())
      if (topicOf(uri) === topic) server?.server.sendResourceUpdated({ uri }).catch(() => undefined);
  };
  let watch: Watch | undefined;
  const follow = async (): Promise<void> => {
    watch ??= createWatch(deps, notify);
    await watch.follow(topicsOf(uris()));
  };
  const begin = async (key: string, wanted: readonly string[]): Promise<void> => {
    followed.set(key, wanted);
    const over = new AbortController();
    const late = deps.clock.sleep(longestStartMs, over.signal);
    await Promise.race([follow(), late]).catch(() => undefined);
    over.abort();
    await late.catch(() => undefined);
  };
  const end = (key: string): void => {
    if (followed.delete(key)) follow().catch(() => undefined);
  };

  return {
    serve(started, era) {
      server = started;
      if (era === "modern") return;
      started.server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
        if (topicOf(uri) === undefined) throw notFollowed();
        await begin(`resource ${uri}`, [uri]);
        return {};
      });
      started.server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
        end(`resource ${uri}`);
        return {};
      });
    },
    watchRequests(transport) {
      const deliver = transport.onmessage;
      const keyOf = (id: unknown) => `request ${JSON.stringify(id)}`;
      transport.onmessage = (message) => {
        const wanted = urisIn(message);
        if (wanted) limitTo(message, wanted);
        if (wanted && wanted.length > 0) {
          const key = keyOf(valueAt(message, "id"));
          void begin(key, wanted).then(() => followed.has(key) && deliver?.(message));
          return;
        }
        if (valueAt(message, "method") === "notifications/cancelled")
          end(keyOf(valueAt(message, "params", "requestId")));
        deliver?.(message);
      };
      const send = transport.send.bind(transport);
      transport.send = (message) => {
        if ("id" in message && !("method" in message)) end(keyOf(message.id));
        return send(message);
      };
    },
    close() {
      followed.clear();
      if (watch) follow().catch(() => undefined);
    },
  };
}

const notFollowed = () =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "Only innkeep://queue and innkeep://runs/{run_id} can be followed.",
  );

/** The resource of the queue. Clients can follow only this resource and the resources of runs. */
const queueUri = "innkeep://queue";

const runUri = /^innkeep:\/\/runs\/([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})$/i;

/** The maximum number of resources that one stream follows. Other resources are ignored. */
const mostUris = 100;

/** Returns the topic of a resource: the id of a proposal, or `queue`. Undefined for all other resources. */
export const topicOf = (uri: string): string | undefined =>
  uri === queueUri ? "queue" : runUri.exec(uri)?.[1]?.toLowerCase();

export function topicsOf(uris: readonly string[]): Topics {
  const topics = uris.flatMap((uri) => topicOf(uri) ?? []);
  return {
    runIds: [...new Set(topics)].filter((topic) => topic !== "queue"),
    queue: topics.includes("queue"),
  };
}

/** Returns the resources in a subscription that can be followed. Returns undefined for any other message. */
export function urisIn(message: unknown): string[] | undefined {
  if (valueAt(message, "method") !== "subscriptions/listen") return undefined;
  const uris = listAt(message, "params", "notifications", "resourceSubscriptions").filter(isText);
  return [...new Set(uris)].filter((uri) => topicOf(uri) !== undefined).slice(0, mostUris);
}

/** Changes a request so that it contains only the resources `uris`. */
export function limitTo(message: unknown, uris: readonly string[]): void {
  const asked = valueAt(message, "params", "notifications", "resourceSubscriptions");
  if (Array.isArray(asked)) asked.splice(0, asked.length, ...uris);
}

/** Follows topics of a server through its API. */
interface Watch {
  /** Replaces the followed topics. After the promise resolves, the client gets every change of these topics. */
  follow(topics: Topics): Promise<void>;
}

type WatchParts = Pick<Deps, "clock" | "connection">;

/** The state of a proposal when it was last read. */
interface KnownRun {
  readonly threadId: string;
  readonly state: string;
}

interface Watching {
  readonly runs: Map<string, KnownRun>;
  queue: boolean;
  readonly notify: (topic: string) => void;
}

/**
 * The pauses after answers with changes. Without pauses, threads that change often would use up the limit for reads.
 */
const pauses = { firstMs: 1_000, growth: 2, mostMs: 15_000 };

/** The pause after a permanent failure. A person must solve the problem, for example replace a revoked token. */
const afterFailureMs = 60_000;

/** The pause between two reads of the proposals if the server has no list of changes. */
const betweenReadsMs = 30_000;

/** Creates the watch of one connection. Calls `notify` with a proposal id or `queue` after each change. */
function createWatch(parts: WatchParts, notify: (topic: string) => void): Watch {
  const watching: Watching = { runs: new Map(), queue: false, notify };
  let session: { readonly stop: AbortController; readonly mark: Promise<string> } | undefined;

  const begin = () => {
    const stop = new AbortController();
    const mark = readMark(parts, stop.signal);
    watchOn({ ...parts, signal: stop.signal }, watching, mark).catch(() => undefined);
    return { stop, mark };
  };

  return {
    async follow({ runIds, queue }) {
      watching.queue = queue;
      for (const id of watching.runs.keys()) if (!runIds.includes(id)) watching.runs.delete(id);
      if (!queue && runIds.length === 0) {
        session?.stop.abort();
        session = undefined;
        return;
      }
      session ??= begin();
      const { signal } = session.stop;
      await session.mark.catch(() => undefined);
      const added = runIds.filter((id) => !watching.runs.has(id));
      const read = added.map(async (id) => watching.runs.set(id, await readState(parts, id, signal)));
      await Promise.all(read);
    },
  };
}

type WatchContext = WatchParts & { readonly signal: AbortSignal };

/**
 * Watches, and rejects when the signal aborts. After a failure, notifies about every topic, because changes may
 * be missing.
 */
async function watchOn(context: WatchContext, watching: Watching, first: Promise<string>): Promise<never> {
  for (let mark = first; ; ) {
    try {
      const began = await mark;
      await (began === noList ? watchRuns(context, watching) : watchThreads(context, watching, began));
    } catch {
      await context.clock.sleep(afterFailureMs, context.signal);
    }
    mark = readMark(context, context.signal);
    await mark.then(
      () => notifyAll(watching),
      () => undefined,
    );
  }
}

/** Stands for the position in the list of changes if the server has no list of changes. */
const noList = "";

async function readMark({ connection }: WatchParts, signal: AbortSignal): Promise<string> {
  try {
    const query = { limit: "1" };
    const { changes } = await connection.call((client) => client.agent.listFeedback({ query, signal }));
    return changes ?? noList;
  } catch (error) {
    if (error instanceof ServerError && [404, 405, 501].includes(error.status)) return noList;
    throw error;
  }
}

/** Reads the proposals repeatedly, one after another, and notifies the client of each change. */
async function watchRuns(context: WatchContext, watching: Watching): Promise<never> {
  for (;;) {
    await context.clock.sleep(betweenReadsMs, context.signal);
    await notifyChanged(context, watching, () => true);
  }
}

async function watchThreads(context: WatchContext, watching: Watching, mark: string): Promise<void> {
  let changedAfter = mark;
  const { clock, connection, signal } = context;
  const ask = (holdSeconds: number) => {
    const query = { changedAfter, wait: String(holdSeconds), limit: String(limits.agentPage.max) };
    return connection.call((client) => client.agent.listFeedback({ query, signal }));
  };
  const holdSeconds = () => limits.waitSeconds;
  const leftMs = () => Number.POSITIVE_INFINITY;
  for await (const result of longPoll({ ask, holdSeconds, leftMs, pauses, clock, signal })) {
    if (!("value" in result)) continue;
    const { items, changes } = result.value;
    changedAfter = changes ?? changedAfter;
    if (items.length === 0) continue;
    if (watching.queue) watching.notify("queue");
    const threads = new Set(items.map(({ id }) => id));
    await notifyChanged(context, watching, ({ threadId }) => threads.has(threadId));
  }
}

function notifyAll({ runs, queue, notify }: Watching): void {
  for (const id of runs.keys()) notify(id);
  if (queue) notify("queue");
}

async function notifyChanged(
  context: WatchContext,
  { runs, notify }: Watching,
  concerns: (run: KnownRun) => boolean,
): Promise<void> {
  for (const [id, known] of [...runs].filter(([, run]) => concerns(run))) {
    const seen = await readState(context, id, context.signal);
    if (seen.state === known.state || !runs.has(id)) continue;
    runs.set(id, seen);
    notify(id);
  }
}

/** Reads the state of a proposal. Empty if the proposal was deleted, or if the token may not read it. */
async function readState({ connection }: WatchParts, id: string, signal: AbortSignal): Promise<KnownRun> {
  try {
    const run = await readRun(connection, id, { holdSeconds: 0, signal });
    return { threadId: run.feedbackId, state: JSON.stringify(run) };
  } catch (error) {
    if (isNotFound(error)) return { threadId: "", state: "" };
    throw error;
  }
}
