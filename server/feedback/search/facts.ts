import type { SearchFacts } from "../../../src/contract/found.ts";
import type { Database } from "../../database/database.ts";
import { type Filters, type InboxScope, narrowingOf, tagsOf } from "../inbox/store.ts";
import { isEmpty, readQuery, unknownValuesOf } from "./rules/query.ts";
import { countFound } from "./store/counts.ts";
import { isIncomplete } from "./store/indexing.ts";
import { correctedQuery } from "./store/spelling.ts";

type Searched = Filters & { readonly q: string };

const noCounts: SearchFacts["counts"] = { open: 0, in_progress: 0, resolved: 0, archived: 0 };

/** Returns the facts about the whole search that its first page shows. (rules F58, F59) */
export async function factsOf(
  database: Database,
  { appIds, userId }: InboxScope,
  { q, status: _, ...filters }: Searched,
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
  const counts = await countFound(database, search, narrowingOf(filters, tagIds));
  const isNothing = Object.values(counts).every((count) => count === 0);
  const inApps = { scope: { appIds }, userId, query, conditions: narrowingOf({}, []) };
  const didYouMean = isNothing ? ((await correctedQuery(database, q, inApps)) ?? null) : null;
  return { counts, didYouMean, ...known };
}
