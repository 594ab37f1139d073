import { threadStatuses } from "../../../../src/contract/find-work.ts";
import type { SearchFacts } from "../../../../src/contract/found.ts";
import type { Reader } from "../../../database/database.ts";
import { type Condition, valuesOf } from "../../../database/lists.ts";
import { usualEffort } from "./ranges.ts";
import { amongFound, searchThreads, type ThreadSearch } from "./search.ts";

type Counts = SearchFacts["counts"];

/** The maximum number of threads of a status that are counted. */
const mostCounted = 500;

const newest = Number.MAX_SAFE_INTEGER;

/** The count ends after about this time. The numbers found so far are then shown as minimum numbers, such as `12+`. */
const mostMilliseconds = 30;

/**
 * Counts the threads of each status on a page that has all threads of its search. If the search ended because of its
 * time limit, there may be more threads, so the numbers end with `+`. (rule F58)
 */
export function countPage(
  rows: readonly { readonly status: string }[],
  { isComplete }: { readonly isComplete: boolean },
): Counts {
  const counts = new Map<string, number>();
  for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1);
  return isComplete ? countsOf(counts) : atLeast(countsOf(counts));
}

/** Counts the threads of each status that a search finds. The scope must have no status. (rule F58) */
export async function countFound(
  reader: Reader,
  search: ThreadSearch,
  conditions: readonly Condition[],
): Promise<Counts> {
  const until = performance.now() + mostMilliseconds;
  const page = { conditions, before: newest, limit: mostCounted + 1 };
  const found = await searchThreads(reader, search, page);
  const ofFound = await byStatus(reader, found.seqs.slice(0, mostCounted));
  if (found.reached === undefined && found.seqs.length <= mostCounted) return ofFound;
  if (found.reached !== undefined) return atLeast(ofFound);
  const counts = new Map(Object.entries(atLeast(ofFound)));
  for (const status of threadStatuses) {
    const milliseconds = Math.min(usualEffort.milliseconds, until - performance.now());
    if (milliseconds <= 0) break;
    const ofStatus: Condition = ["f.status = ?", status];
    const { seqs, reached } = await searchThreads(
      reader,
      { ...search, scope: { ...search.scope, status } },
      { ...page, conditions: [ofStatus, ...conditions], effort: { ...usualEffort, milliseconds } },
    );
    const known = Number.parseInt(String(ofFound[status]), 10);
    const count = Math.min(Math.max(seqs.length, known), mostCounted);
    counts.set(status, reached === undefined && seqs.length <= mostCounted ? count : `${count}+`);
  }
  return countsOf(counts);
}

const atLeast = ({ open, in_progress: inProgress, resolved, archived }: Counts): Counts => ({
  open: `${open}+`,
  in_progress: `${inProgress}+`,
  resolved: `${resolved}+`,
  archived: `${archived}+`,
});

async function byStatus(reader: Reader, seqs: readonly number[]): Promise<Counts> {
  const { from, condition } = amongFound(reader, { seqs });
  const rows = await reader.all<{ status: string; count: number }>(
    `SELECT f.status, count(*) AS count FROM ${from} WHERE ${condition[0]} GROUP BY f.status`,
    ...valuesOf([condition]),
  );
  return countsOf(new Map(rows.map(({ status, count }) => [status, Number(count)])));
}

const countsOf = (counts: ReadonlyMap<string, number | string>): Counts => ({
  open: counts.get("open") ?? 0,
  in_progress: counts.get("in_progress") ?? 0,
  resolved: counts.get("resolved") ?? 0,
  archived: counts.get("archived") ?? 0,
});
