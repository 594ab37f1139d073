import { ApiError } from "../../../src/contract/errors.ts";
import type { threads as contract, readMarks as marksContract } from "../../../src/contract/threads.ts";
import { ownedApp } from "../../access/apps/store.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { renewedLink } from "../../mail/sender-page/links.ts";
import { storeDueChanges } from "../proposals/due.ts";
import { markAllRead, threadViews } from "../unread/store/read-marks.ts";
import { changeThread } from "./change.ts";
import { lockedThread, ownedThread, readableThread } from "./read.ts";
import { threadEvents } from "./rules.ts";
import { endDueSnoozes } from "./store/fields.ts";
import { removeFiles, removeThread } from "./store/removal.ts";
import { auditedChanges, decidedRuns, namingReleases, numberThreads } from "./store/threads.ts";

/** The handlers that read, change and delete threads. */
export function threads(
  deps: Pick<Deps, "clock" | "database" | "keptFiles" | "log" | "newId" | "sealer" | "settings" | "time">,
): Pick<Handlers<typeof contract>, "read" | "events" | "update" | "remove" | "renewStatusLink"> {
  const record = createAuditWriter(deps);
  return {
    async read({ caller, params, query: { before } }) {
      const { database } = deps;
      await storeDueChanges(deps);
      const wanted = { id: params.id, before, viewer: caller };
      const answer = await ownedThread(deps, database, wanted);
      if (answer.feedback.number !== null) return answer;
      await numberThreads(database, (await readableThread(database, params.id, caller)).appId);
      return ownedThread(deps, database, wanted);
    },

    async events({ caller, params: { id } }) {
      const thread = await readableThread(deps.database, id, caller);
      const now = deps.clock.now().toISOString();
      const [changes, runs, releases] = await Promise.all([
        auditedChanges(deps.database, thread.id),
        decidedRuns(deps.database, thread.id),
        namingReleases(deps.database, thread.id, now),
      ]);
      return { items: threadEvents({ changes, runs, releases }) };
    },

    async update({ caller, address, params: { id }, body, save }) {
      await endDueSnoozes(deps);
      // Numbering locks many threads. The transaction below locks this thread first, so numbering in it could cause a
      // deadlock.
      await numberThreads(deps.database, (await readableThread(deps.database, id, caller)).appId);
      return save(async (tx) => {
        const { appId } = await unmergedThread(tx, id, caller);
        await changeThread(deps, tx, { caller, address, id, appId, change: body });
        return ownedThread(deps, tx, { id, viewer: caller });
      });
    },

    async remove({ caller, address, params: { id }, save }) {
      let files: readonly string[] = [];
      await save(async (tx) => {
        const { appId } = await unmergedThread(tx, id, caller);
        files = (await removeThread(tx, id)).hashes;
        await record(tx, { caller, address }, { action: "thread.delete", appId, target: id });
        return undefined;
      });
      removeFiles(deps, files);
      return undefined;
    },

    renewStatusLink: ({ caller, address, params: { id }, body: { reportId = id }, save }) =>
      save(async (tx) => {
        const thread = await lockedThread(tx, id, caller);
        const { appId } = thread;
        const statusUrl = await renewedLink(deps, tx, { feedbackId: thread.id, reportId });
        const changes = [{ field: "statusLink" }];
        await record(tx, { caller, address }, { action: "thread.update", appId, target: thread.id, changes });
        return { statusUrl };
      }),
  };
}

/** Locks and returns a thread as `lockedThread` does. Throws `merged` if it was merged into another thread. */
async function unmergedThread(tx: Transaction, id: string, viewer: Viewer): ReturnType<typeof lockedThread> {
  const found = await lockedThread(tx, id, viewer);
  if (found.id !== id.toLowerCase()) throw new ApiError("merged");
  return found;
}

/** Marks threads as read or unread. A mark concerns only one person, so the audit log does not contain it. */
export function readMarks(
  deps: Pick<Deps, "clock" | "database" | "newId" | "time">,
): Handlers<typeof marksContract> {
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
      await storeDueChanges(deps);
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
