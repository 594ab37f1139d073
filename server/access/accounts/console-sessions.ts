import type { consoleSessions as contract } from "../../../src/contract/console-sessions.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { createAuditWriter } from "../audit/record.ts";
import { consoleSessions as rows } from "../sign-in/store.ts";

/** The browsers in which a person is signed in, to look at and to end. (rule S22) */
export function consoleSessionList(
  deps: Pick<Deps, "clock" | "database" | "newId">,
): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller }) {
      const found = await rows.list(deps.database, caller.userId, deps.clock.now().toISOString());
      return {
        items: found.map(({ tokenHash, ...session }) => ({ ...session, current: tokenHash === caller.id })),
      };
    },

    remove: ({ caller, address, params: { sessionId }, save }) =>
      save(async (tx) => {
        if (!(await rows.removeById(tx, caller.userId, sessionId))) throw new ApiError("not_found");
        await record(tx, { caller, address }, { action: "session.end", target: sessionId });
        return undefined;
      }),

    removeOthers: ({ caller, address, save }) =>
      save(async (tx) => {
        await rows.removeOthers(tx, caller.userId, caller.id);
        await record(tx, { caller, address }, { action: "session.end_others" });
        return undefined;
      }),
  };
}
