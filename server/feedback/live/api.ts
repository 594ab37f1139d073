import { ApiError } from "../../../src/contract/errors.ts";
import type { live as contract } from "../../../src/contract/events.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { mostOfAccount, mostOfSession } from "./connections.ts";

const messages = {
  session: `This session has ${mostOfSession} open connections for events. Close one of them first.`,
  account: `Your sessions have ${mostOfAccount} open connections for events. Close one of them first.`,
  server: "The server has too many open connections for events. Try again later.",
};

/**
 * The handler that keeps a connection to a browser open, and sends events about changes on this connection. (rules F70
 * to F74)
 */
export const live = ({ liveConnections }: Pick<Deps, "liveConnections">): Handlers<typeof contract> => ({
  async follow({ caller, lastEventId, query: { since } }) {
    const full = liveConnections.fullFor(caller);
    if (full === "server") throw new ApiError("busy", { message: messages.server, retryAfterSeconds: 60 });
    if (full !== undefined)
      throw new ApiError("rate_limited", { message: messages[full], retryAfterSeconds: 60 });
    const open = await liveConnections.prepare(caller, { lastEventId, since });
    return { isEventStream: true, open };
  },
});
