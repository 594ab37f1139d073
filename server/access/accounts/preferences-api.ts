import type { preferences as contract } from "../../../src/contract/preferences.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { preferenceRows } from "./preferences-store.ts";

/** Returns the handlers for the console preferences of the person who is signed in. (rule O32) */
export const preferences = ({ database }: Pick<Deps, "database">): Handlers<typeof contract> => ({
  read: ({ caller }) => preferenceRows.of(database, caller.userId),

  update: ({ caller, body, save }) =>
    save(async (tx) => {
      const { keys, afterResolving } = await preferenceRows.of(tx, caller.userId);
      const next = { keys: body.keys ?? keys, afterResolving: body.afterResolving ?? afterResolving };
      await preferenceRows.put(tx, caller.userId, next);
      return next;
    }),
});
