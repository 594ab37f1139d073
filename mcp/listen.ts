import {
  createMcpHandler,
  type McpServerFactory,
  ProtocolErrorCode,
  type ServerEventBus,
} from "@modelcontextprotocol/server";
import type { HttpToolOptions, ToolCaller } from "../src/programs.ts";
import { at } from "./json.ts";
import { limitTo, topicOf, topicsOf } from "./subscriptions.ts";

/** A request for a stream of changes. */
interface ListenRequest {
  readonly request: Request;
  readonly body: unknown;
  /** The resources that it asks for. */
  readonly uris: readonly string[];
  readonly caller: ToolCaller;
}

/**
 * Answers with a stream on which the client gets each change of the resources that it may read, until it leaves, its
 * token is revoked, or the server stops. (rule A60)
 */
export async function listen(
  { request, body, uris, caller }: ListenRequest,
  {
    streams,
    createServer,
    onError,
  }: Pick<HttpToolOptions, "onError"> & {
    readonly streams: OpenStreams;
    readonly createServer: McpServerFactory;
  },
): Promise<Response> {
  const leave = streams.enter(caller.id);
  if (typeof leave === "string") return refusal(body, leave);
  let begun = false;
  try {
    const { topics, follow } = await caller.follow(topicsOf(uris));
    const allowed = new Set([...topics.runIds, ...(topics.queue ? ["queue"] : [])]);
    const followed = uris.filter((uri) => allowed.has(topicOf(uri) ?? ""));
    const bus: ServerEventBus = {
      publish: () => undefined,
      subscribe(hear) {
        begun = true;
        const gone = new AbortController();
        const tell = (topic: string): void => {
          for (const uri of followed) if (topicOf(uri) === topic) hear({ kind: "resource_updated", uri });
        };
        const end = (): void => {
          leave();
          void handler.close();
        };
        follow(tell, AbortSignal.any([gone.signal, caller.stopping]))
          .catch(onError)
          .finally(end);
        return () => gone.abort();
      },
    };
    const handler = createMcpHandler(createServer, { onerror: onError, bus });
    limitTo(body, followed);
    return await handler.fetch(request, { parsedBody: body });
  } finally {
    if (!begun) leave();
  }
}

const refusal = (body: unknown, message: string): Response =>
  Response.json({
    jsonrpc: "2.0",
    id: at(body, "id") ?? null,
    error: { code: ProtocolErrorCode.InternalError, message },
  });

/** How many streams may be open at a server: of one token, and of all. */
const most = { ofToken: 20, ofAll: 1_000 } as const;

/** Counts the open streams of a server. */
interface OpenStreams {
  /** Counts one more and returns the function that ends it, or says in words why there is no room. */
  enter(tokenId: string): (() => void) | string;
}

export function createOpenStreams(): OpenStreams {
  const ofToken = new Map<string, number>();
  let all = 0;

  const change = (tokenId: string, by: number): void => {
    all += by;
    const count = (ofToken.get(tokenId) ?? 0) + by;
    if (count > 0) ofToken.set(tokenId, count);
    else ofToken.delete(tokenId);
  };

  return {
    enter(tokenId) {
      if ((ofToken.get(tokenId) ?? 0) >= most.ofToken)
        return `This connection has ${most.ofToken} open streams. Close one, or follow several resources in one stream.`;
      if (all >= most.ofAll) return "The server has too many open streams. Try again in a minute.";
      change(tokenId, 1);
      let open = true;
      return () => {
        if (open) change(tokenId, -1);
        open = false;
      };
    },
  };
}
