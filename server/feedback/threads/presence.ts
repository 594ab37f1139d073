import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { nextView } from "../unread/rules.ts";
import { inboxViews, threadViews } from "../unread/store/read-marks.ts";

/**
 * One view of a page by a person. Everything after `since` is new to the person; if `since` is null, nothing is marked
 * as new.
 */
export interface PageView {
  readonly since: string | null;
  /** Stores the view. Call it after the page has read its data. If this fails, the page is still shown. */
  note(): Promise<void>;
}

const noView: PageView = { since: null, note: async () => undefined };

/**
 * Creates the functions that read and store which pages a person has viewed. The functions are for one signed-in person
 * at the time `now`. (rule F53)
 */
export const createPageViews =
  ({ database, log }: Pick<Deps, "database" | "log">) =>
  ({ userId }: Pick<ConsoleCaller, "userId">, now: Date) => {
    const at = now.toISOString();
    const store = async (work: (tx: Transaction) => Promise<unknown>) => {
      try {
        await database.write(work);
      } catch (error) {
        log.warn({ err: error }, "the view of a page was not stored");
      }
    };
    return {
      /** Starts the view of a thread. Everything that happens on the thread after this call counts as not seen. */
      async ofThread(threadId: string): Promise<PageView> {
        const row = await threadViews.find(database, threadId, userId);
        if (!row) return noView;
        const sinceAt = row.lookedAt === null ? row.coveredUntil : row.sinceAt;
        const { since, isDue } = nextView(now, { lookedAt: row.lookedAt, sinceAt });
        const isSeen = row.seenCount !== null && row.seenCount >= row.count;
        return {
          since,
          note: async () => {
            if (isSeen && !isDue) return;
            await store((tx) => threadViews.note(tx, { ...row, at, sinceAt: since }));
          },
        };
      },

      async ofInbox(appId: string): Promise<PageView> {
        const last = await inboxViews.find(database, { appId, userId });
        if (!last) return noView;
        const { since, isDue } = nextView(now, { lookedAt: last.visitedAt, sinceAt: last.sinceAt });
        return {
          since,
          note: async () => {
            if (!isDue) return;
            await store((tx) => inboxViews.note(tx, { appId, userId }, { visitedAt: at, sinceAt: since }));
          },
        };
      },

      /** Hides the changes from before `now` in the inbox of this person. */
      hideChanges: (appId: string) =>
        database.write((tx) => inboxViews.note(tx, { appId, userId }, { visitedAt: at, sinceAt: at })),
    };
  };

export type PageViews = ReturnType<ReturnType<typeof createPageViews>>;
