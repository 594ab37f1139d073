import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { isAnswering, isNoteDue } from "../messages/rules.ts";
import { answering } from "../messages/store.ts";
import { nextView } from "../unread/rules.ts";
import { inboxViews, threadViews } from "../unread/store/read-marks.ts";

/** A view of a page by a person. */
interface PageView {
  /** The page marks everything after this time as new. If it is null, the page marks nothing. */
  readonly since: string | null;
  /** Stores that the person has viewed the page. Call it after the page is read. Errors are only logged. */
  note(): Promise<void>;
}

const noView: PageView = { since: null, note: async () => undefined };

/** Reads and stores which pages a person has viewed. (rule F53) */
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
      /** Begins a view of a thread. Events on the thread after this call count as not seen. */
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

      /** Hides the changes before `now` in the inbox of this person. */
      hideChanges: (appId: string) =>
        database.write((tx) => inboxViews.note(tx, { appId, userId }, { visitedAt: at, sinceAt: at })),
    };
  };

export type PageViews = ReturnType<ReturnType<typeof createPageViews>>;

/** A member who may answer in a thread. */
interface Member {
  readonly userId: string;
  readonly email: string;
}

/** Reads and stores which members are writing an answer in a thread. (rule F36) */
export const createPageAnswering =
  ({ database, log }: Pick<Deps, "database" | "log">) =>
  ({ userId }: Pick<ConsoleCaller, "userId">, now: Date) => {
    const store = async (work: (tx: Transaction) => Promise<unknown>) => {
      try {
        await database.write(work);
      } catch (error) {
        log.warn({ err: error }, "it was not stored that a member writes an answer");
      }
    };
    return {
      /**
       * Returns the e-mail addresses of other `members` who are writing now. The person must be allowed to
       * read the thread.
       */
      async others(feedbackId: string, members: readonly Member[]): Promise<string[]> {
        const rows = await answering.list(database, feedbackId);
        const writing = new Set(rows.filter((row) => isAnswering(now, row)).map((row) => row.userId));
        return members
          .filter((member) => member.userId !== userId && writing.has(member.userId))
          .map(({ email }) => email);
      },

      /**
       * Stores that the person is writing, if the person may answer. Does nothing shortly after the previous
       * call for `feedbackId`.
       */
      async note(feedbackId: string): Promise<void> {
        if (!isNoteDue(now, feedbackId, await answering.find(database, userId))) return;
        await store((tx) => answering.note(tx, { userId, feedbackId }, now.toISOString()));
      },

      /** Stores that the person has stopped writing. */
      async end(feedbackId: string): Promise<void> {
        if ((await answering.find(database, userId))?.feedbackId !== feedbackId) return;
        await store((tx) => answering.remove(tx, { userId, feedbackId }));
      },
    };
  };

export type PageAnswering = ReturnType<ReturnType<typeof createPageAnswering>>;
