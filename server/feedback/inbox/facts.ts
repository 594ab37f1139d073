import type { SearchFacts } from "../../../src/contract/found.ts";
import type { Database } from "../../database/database.ts";
import { type Filters, type InboxScope, narrowingOf, tagsOf } from "./store.ts";
import { isEmpty, readQuery, unknownValuesOf } from "../search/rules.ts";
import { countFound, countPage } from "../search/store/counts.ts";
import { isIncomplete } from "../search/store/indexing.ts";
import { correctedQuery } from "../search/store/spelling.ts";

type Searched = Filters & { readonly q: string };

const noCounts: SearchFacts["counts"] = { open: 0, in_progress: 0, resolved: 0, archived: 0 };

/** The first page of a search. */
interface FirstPage {
  readonly rows: readonly { readonly status: string }[];
  /** If the search ended because of its time limit: the `seq` at which it ended. */
  readonly reached?: number | undefined;
  /** The maximum number of threads on the page. */
  readonly limit: number;
}

/** Returns the facts about the whole search. Only its first page shows them. (rules F58, F59) */
export async function factsOf(
  database: Database,
  { appIds, userId }: InboxScope,
  { q, status, ...filters }: Searched,
  { rows, reached, limit }: FirstPage,
): Promise<SearchFacts> {
  const query = readQuery(q);
  const indexing = await isIncomplete(database);
  const unknownValues = unknownValuesOf(q);
  const known = { indexing, ...(unknownValues.length === 0 ? {} : { unknownValues }) };
  const [appId] = appIds;
  if (isEmpty(query) || appId === undefined) return { counts: noCounts, didYouMean: null, ...known };
  const tagIds = await tagsOf(database, appId, filters);
  if (tagIds === undefined) return { counts: noCounts, didYouMean: null, ...known };
  const search = { scope: { appIds, type: filters.type }, query, userId };
  // A page that is not full has all threads that the search can find, so they are counted without another search.
  const counts =
    status === undefined && rows.length < limit
      ? countPage(rows, { isComplete: reached === undefined })
      : await countFound(database, search, narrowingOf(filters, tagIds));
  const isNothing = Object.values(counts).every((count) => count === 0);
  const inApps = { scope: { appIds }, userId, query, conditions: narrowingOf({}, []) };
  const didYouMean = isNothing ? ((await correctedQuery(database, q, inApps)) ?? null) : null;
  return { counts, didYouMean, ...known };
}
