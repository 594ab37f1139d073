import type { readMarks as contract } from "../../../src/contract/threads.ts";
import { ownedApp } from "../../access/apps/owned-app.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { endDueSnoozes } from "./store/snooze-store.ts";
import { readableThread } from "./owned.ts";
import { markAllRead, threadViews } from "../unread/store/read-marks.ts";

/**
 * The handlers with which a person marks threads as read or unread. This changes nothing for other people, so it is not
 * recorded in the audit log.
 */
export function readMarks(deps: Pick<Deps, "clock" | "database" | "time">): Handlers<typeof contract> {
  const { clock } = deps;
  return {
    async update({ caller, params: { id }, body: { read }, save }) {
      await endDueSnoozes(deps);
      return save(async (tx) => {
        const thread = await readableThread(tx, id, caller);
        const member = { appId: thread.appId, userId: caller.userId };
        await threadViews.mark(tx, { ...member, feedbackId: thread.id }, read);
        return { unread: !read };
      });
    },

    async updateAll({ caller, params: { appId }, body: { until = "", ...filters }, save }) {
      await endDueSnoozes(deps);
      return save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const now = clock.now().toISOString();
        const seen = until === "" || until > now ? now : until;
        await markAllRead(tx, { appId, userId: caller.userId }, { filters, until: seen });
        return undefined;
      });
    },
  };
}
