import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { SimilarThread } from "../../../src/contract/threads.ts";
import type { Reader } from "../../database/database.ts";
import { plannedEachTime } from "../../database/transaction.ts";
import { endOf } from "../search/store/ranges.ts";
import { newestWith } from "../search/store/spelling.ts";
import { activeAt } from "../unread/store/read-marks.ts";
import { type FoundWord, mostWithWord, type OwnWord } from "./rules.ts";

interface OwnRow {
  readonly seq: number;
  readonly appId: string;
  readonly subject: string;
  readonly message: string;
}

type ListedRow = Omit<SimilarThread, "shared"> & { readonly seq: number };

/** The time limit for all words together. Words that were not searched within this time are ignored. */
const milliseconds = 500;

/**
 * The number of words that are searched at the same time. Other requests are answered between two groups of
 * words.
 */
const atOnce = { sqlite: 1, postgres: 6 } as const;

/** The limits for the search for one word, see `Effort`. The limits are low, because many words are searched. */
const ofOneWord = { milliseconds: 4, few: 1_000, rare: 1_000 };

const mostCounted = 10_000;

export const similar = {
  own: (reader: Reader, id: string): Promise<OwnRow | undefined> =>
    reader.get<OwnRow>(`SELECT seq, app_id AS "appId", subject, message FROM feedback WHERE id = ?`, id),

  /** Counts the threads of an app, up to 10,000. */
  async count(reader: Reader, appId: string): Promise<number> {
    const row = await reader.get<{ count: number }>(
      "SELECT count(*) AS count FROM (SELECT 1 AS one FROM feedback WHERE app_id = ? LIMIT ?) AS counted",
      ...[appId, mostCounted],
    );
    return Number(row?.count ?? 0);
  },

  /** Returns the newest threads for each word. Leaves out words that were not searched in time. */
  async withWords(
    reader: Reader,
    { appId, userId }: { readonly appId: string; readonly userId: string },
    words: readonly OwnWord[],
  ): Promise<FoundWord[]> {
    const until = endOf({ ...ofOneWord, milliseconds });
    const search = {
      scope: { appIds: [appId] },
      userId,
      conditions: [["f.status <> 'blocked'"]] as const,
      effort: ofOneWord,
    };
    const withWord = async (one: OwnWord): Promise<FoundWord> => {
      const term = [{ word: one.word, isBeginning: false }];
      return { ...one, seqs: await newestWith(reader, search, term, mostWithWord + 1) };
    };
    const found: FoundWord[] = [];
    const count = atOnce[reader.engine];
    for (let at = 0; at < words.length && performance.now() < until; at += count) {
      found.push(...(await Promise.all(words.slice(at, at + count).map(withWord))));
      await yieldToOthers();
    }
    return found;
  },

  /** Returns the data of these threads for a list. Hidden threads are left out. */
  list: (reader: Reader, seqs: readonly number[]): Promise<ListedRow[]> =>
    seqs.length === 0
      ? Promise.resolve([])
      : reader.all<ListedRow>(
          plannedEachTime(
            `SELECT f.seq, f.id, f.number, f.subject, f.category, f.status, f.created_at AS "createdAt",
               ${activeAt} AS "activeAt"
             FROM feedback f WHERE f.seq IN (${seqs.map(() => "?").join(", ")}) AND f.status <> 'blocked'`,
          ),
          ...seqs,
        ),
};
