import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Topics } from "../src/programs.ts";
import type { Deps } from "./deps.ts";
import { at, isText, listAt } from "./json.ts";
import type { Watch } from "./watch.ts";

/** What one client over standard input follows, in either era. */
interface Subscriptions {
  /** Takes requests of the older era, and sends from now on through this server. */
  serve(server: McpServer, era: "legacy" | "modern"): void;
  /** Follows what requests of the newer era ask for. They begin once nothing can be missed. */
  watchRequests(transport: StdioServerTransport): void;
  close(): void;
}

/** A server that does not answer must not keep a client waiting for its subscription. */
const longestStartMs = 5_000;

/** Creates the subscriptions of a connection. Nothing is loaded or asked before the first one. */
export function createSubscriptions(deps: Pick<Deps, "clock" | "connection">): Subscriptions {
  const followed = new Map<string, readonly string[]>();
  let server: McpServer | undefined;

  const uris = () => [...new Set([...followed.values()].flat())];
  const tell = (topic: string): void => {
    for (const uri of uris())
      if (topicOf(uri) === topic) server?.server.sendResourceUpdated({ uri }).catch(() => undefined);
  };
  let watch: Promise<Watch> | undefined;
  const follow = async (): Promise<void> => {
    watch ??= import("./watch.ts").then(({ createWatch }) => createWatch(deps, tell));
    await (await watch).follow(topicsOf(uris()));
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
          const key = keyOf(at(message, "id"));
          void begin(key, wanted).then(() => followed.has(key) && deliver?.(message));
          return;
        }
        if (at(message, "method") === "notifications/cancelled")
          end(keyOf(at(at(message, "params"), "requestId")));
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

/** What a client can follow, as it reads it. */
const queueUri = "innkeep://queue";

const runUri = /^innkeep:\/\/runs\/([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})$/i;

/** How many resources one stream follows, at most. The others are left out. */
const mostUris = 100;

/** The topic that a resource stands for: the id of a proposal, or `queue`. Undefined for all others. */
export const topicOf = (uri: string): string | undefined =>
  uri === queueUri ? "queue" : runUri.exec(uri)?.[1]?.toLowerCase();

export function topicsOf(uris: readonly string[]): Topics {
  const topics = uris.flatMap((uri) => topicOf(uri) ?? []);
  return {
    runIds: [...new Set(topics)].filter((topic) => topic !== "queue"),
    queue: topics.includes("queue"),
  };
}

/** The resources that a request asks to follow, as far as they can be followed; undefined for any other message. */
export function urisIn(message: unknown): string[] | undefined {
  if (at(message, "method") !== "subscriptions/listen") return undefined;
  const uris = listAt(at(at(message, "params"), "notifications"), "resourceSubscriptions").filter(isText);
  return [...new Set(uris)].filter((uri) => topicOf(uri) !== undefined).slice(0, mostUris);
}

/** Leaves only these resources in a request. */
export function limitTo(message: unknown, uris: readonly string[]): void {
  const asked = at(at(at(message, "params"), "notifications"), "resourceSubscriptions");
  if (Array.isArray(asked)) asked.splice(0, asked.length, ...uris);
}
