import type { Reader, Value } from "../../engine/database.ts";
import {
  marksInPostgres as marks,
  rangesOfSearch,
  searchedInPostgres,
} from "../../engine/migrations/feedback/053-marks-of-search.ts";
import { plannedEachTime } from "../../engine/planned-each-time.ts";
import type { Condition } from "../thread-changes.ts";

/** The threads to search: those of some apps, and only those of one status or type if they are given. */
export interface SearchScope {
  readonly appIds: readonly string[];
  readonly status?: string | undefined;
  readonly type?: string | undefined;
}

/**
 * What more a page of a search must match besides the scope, before which `seq` it begins, and how many threads it has.
 */
export interface SearchPage {
  readonly conditions: readonly Condition[];
  readonly before: number;
  readonly limit: number;
}

export interface SearchedWords {
  readonly scope: SearchScope;
  /** As `to_tsquery` takes them. */
  readonly words: string;
}

/**
 * The newest threads that match, as their `seq`. A common word is in so many threads that they cannot all be sorted, so the newest
 * two thousand threads are searched first, then more, then all.
 */
export async function newestFound(
  reader: Reader,
  searched: SearchedWords,
  page: SearchPage,
): Promise<number[]> {
  const newest = await reader.get<{ seq: number | null }>("SELECT max(seq) AS seq FROM feedback");
  const end = Math.min(page.before, (newest?.seq ?? 0) + 1);
  for (const size of rangesOfSearch) {
    const last = Math.floor((end - 1) / size);
    const found = await findMarked(reader, searched, {
      page,
      mark: oneOf([range(size, last), range(size, last - 1)]),
    });
    if (found.length >= page.limit || last <= 1) return found;
  }
  return findMarked(reader, searched, { page });
}

const range = (size: number, number: number): string => `${marks.range}${size}.${number}`;

interface Marked {
  readonly page: SearchPage;
  readonly mark?: string;
}

/** The index finds all that match before they are sorted: the planner must not read the threads one by one in their order. */
async function findMarked(
  reader: Reader,
  { scope, words }: SearchedWords,
  { page: { conditions, before, limit }, mark }: Marked,
): Promise<number[]> {
  const asked = [...marksOf(scope), ...(mark === undefined ? [] : [mark])].join(" & ");
  const all: Condition[] = [
    [`${searchedInPostgres} @@ (to_tsquery('simple', ?) && CAST(? AS tsquery))`, words, asked],
    ["f.seq < ?", before],
    ...conditions,
  ];
  const values: Value[] = all.flatMap(([, ...given]) => given);
  const rows = await reader.all<{ seq: number }>(
    plannedEachTime(
      `WITH found AS MATERIALIZED (SELECT f.seq FROM feedback f WHERE ${all.map(([sql]) => sql).join(" AND ")})
       SELECT seq FROM found ORDER BY seq DESC LIMIT ?`,
    ),
    ...values,
    limit,
  );
  return rows.map(({ seq }) => seq);
}

const marksOf = ({ appIds, status, type }: SearchScope): string[] => [
  oneOf(appIds.map((id) => marks.app + id)),
  ...(status === undefined ? [] : [oneOf([marks.status + status])]),
  ...(type === undefined ? [] : [oneOf([marks.type + type])]),
];

const oneOf = (given: readonly string[]): string =>
  `(${given.map((mark) => `'${mark.replaceAll("'", "''").replaceAll("\\", "\\\\")}'`).join(" | ")})`;
