import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { lookAt } from "./rules.ts";
import { looks, visits } from "./store/read-marks.ts";

/** A look of a person at a page: since when things on it are new, null if everything or nothing is. */
export interface PageLook {
  readonly since: string | null;
  /** Stores the look, after the page has read what it shows. A page that cannot store it is shown all the same. */
  note(): Promise<void>;
}

const noLook: PageLook = { since: null, note: async () => undefined };

/** The looks of one signed-in person at pages of the console, at the time `now`. (rule F53) */
export const createPageLooks =
  ({ database, log }: Pick<Deps, "database" | "log">) =>
  ({ userId }: Pick<ConsoleCaller, "userId">, now: Date) => {
    const at = now.toISOString();
    const store = async (work: (tx: Transaction) => Promise<unknown>) => {
      try {
        await database.write(work);
      } catch (error) {
        log.warn({ err: error }, "a look at a page was not stored");
      }
    };
    return {
      /** Begins to look at a thread. What happens on it from now on is not counted as seen. */
      async atThread(threadId: string): Promise<PageLook> {
        const row = await looks.find(database, threadId, userId);
        if (!row) return noLook;
        const sinceAt = row.lookedAt === null ? row.coveredUntil : row.sinceAt;
        const { since, isDue } = lookAt(now, { lookedAt: row.lookedAt, sinceAt });
        const isSeen = row.seenCount !== null && row.seenCount >= row.count;
        return {
          since,
          note: async () => {
            if (isSeen && !isDue) return;
            await store((tx) => looks.note(tx, { ...row, at, sinceAt: since }));
          },
        };
      },

      async atInbox(appId: string): Promise<PageLook> {
        const visit = await visits.find(database, { appId, userId });
        if (!visit) return noLook;
        const { since, isDue } = lookAt(now, { lookedAt: visit.visitedAt, sinceAt: visit.sinceAt });
        return {
          since,
          note: async () => {
            if (!isDue) return;
            await store((tx) => visits.note(tx, { appId, userId }, { visitedAt: at, sinceAt: since }));
          },
        };
      },

      /** Hides what changed before now. */
      hideChanges: (appId: string) =>
        database.write((tx) => visits.note(tx, { appId, userId }, { visitedAt: at, sinceAt: at })),
    };
  };

export type PageLooks = ReturnType<ReturnType<typeof createPageLooks>>;
