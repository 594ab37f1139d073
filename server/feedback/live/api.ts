import type { live as contract } from "../../../src/contract/events.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";

/** Keeps a connection to a browser open for events about changes. (rules F70 to F74) */
export const live = ({ liveConnections }: Pick<Deps, "liveConnections">): Handlers<typeof contract> => ({
  async follow({ caller, lastEventId, query: { since } }) {
    const refusal = liveConnections.refusalFor(caller);
    if (refusal) throw refusal;
    const open = await liveConnections.prepare(caller, { lastEventId, since });
    return { isEventStream: true, open };
  },
});
