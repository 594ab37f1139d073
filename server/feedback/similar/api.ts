import type { threads as contract, SimilarThread } from "../../../src/contract/threads.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { storeDueChanges } from "../proposals/due.ts";
import { indexForSearch } from "../search/store/indexing.ts";
import { readableThread } from "../threads/read.ts";
import { numberThreads } from "../threads/store/threads.ts";
import { similarThreads, tellingWords } from "./rules.ts";
import { similar as rows } from "./store.ts";

/**
 * Finds threads with the same rare words. First stores ended snoozes and expired approvals, and indexes new
 * threads. (rule F76)
 */
export const similar = (
  deps: Pick<Deps, "clock" | "database" | "log" | "newId" | "time">,
): Pick<Handlers<typeof contract>, "similar"> => ({
  async similar({ caller, params }) {
    const { database } = deps;
    const thread = await readableThread(database, params.id, caller);
    await numberThreads(database, thread.appId);
    await storeDueChanges(deps);
    await indexForSearch(deps);
    const own = await rows.own(database, thread.id);
    if (own === undefined) return { items: [] };
    const place = { appId: own.appId, userId: caller.userId };
    const words = await rows.withWords(database, place, tellingWords(own));
    const total = await rows.count(database, own.appId);
    const found = similarThreads(words, { own: own.seq, total });
    const listed = await rows.list(
      database,
      found.map(({ seq }) => seq),
    );
    const items = found.flatMap(({ seq, shared }): SimilarThread[] =>
      listed.filter((row) => row.seq === seq).map(({ seq: _, ...row }) => ({ ...row, shared: [...shared] })),
    );
    return { items };
  },
});
