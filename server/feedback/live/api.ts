import { ApiError } from "../../../src/contract/errors.ts";
import type { live as contract } from "../../../src/contract/events.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { fullMessages } from "./connections.ts";

/**
 * The handler that keeps a connection to a browser open, and sends events about changes on this connection. (rules F70
 * to F74)
 */
export const live = ({ liveConnections }: Pick<Deps, "liveConnections">): Handlers<typeof contract> => ({
  async follow({ caller, lastEventId, query: { since } }) {
    const full = liveConnections.fullFor(caller);
    if (full === "server")
      throw new ApiError("busy", { message: fullMessages.server, retryAfterSeconds: 60 });
    if (full !== undefined)
      throw new ApiError("rate_limited", { message: fullMessages[full], retryAfterSeconds: 60 });
    const open = await liveConnections.prepare(caller, { lastEventId, since });
    return { isEventStream: true, open };
  },
});
