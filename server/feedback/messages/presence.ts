import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { isAnswering, isNoteDue } from "./rules.ts";
import { answering } from "./store.ts";

/** A member who may answer in a thread. */
interface Member {
  readonly userId: string;
  readonly email: string;
}

/** Who writes an answer in a thread of the console, for one signed-in person at the time `now`. (rule F36) */
export const createPageAnswering =
  ({ database, log }: Pick<Deps, "database" | "log">) =>
  ({ userId }: Pick<ConsoleCaller, "userId">, now: Date) => {
    const store = async (work: (tx: Transaction) => Promise<unknown>) => {
      try {
        await database.write(work);
      } catch (error) {
        log.warn({ err: error }, "who is answering was not stored");
      }
    };
    return {
      /**
       * The addresses of the others who write in a thread now. `members` may answer there. The caller has checked that the thread
       * is this person's.
       */
      async others(feedbackId: string, members: readonly Member[]): Promise<string[]> {
        const rows = await answering.list(database, feedbackId);
        const writing = new Set(rows.filter((row) => isAnswering(now, row)).map((row) => row.userId));
        return members
          .filter((member) => member.userId !== userId && writing.has(member.userId))
          .map(({ email }) => email);
      },

      /** Notes that the person writes an answer in a thread, if the person may. Costs no write if it was noted just now. */
      async note(feedbackId: string): Promise<void> {
        if (!isNoteDue(now, feedbackId, await answering.find(database, userId))) return;
        await store((tx) => answering.note(tx, { userId, feedbackId }, now.toISOString()));
      },

      /** Notes that the person has stopped. */
      async end(feedbackId: string): Promise<void> {
        if ((await answering.find(database, userId))?.feedbackId !== feedbackId) return;
        await store((tx) => answering.remove(tx, { userId, feedbackId }));
      },
    };
  };

export type PageAnswering = ReturnType<ReturnType<typeof createPageAnswering>>;
