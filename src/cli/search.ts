import { limits } from "../contract/limits.ts";
import type { SearchedThread, SearchFacts } from "../contract/threads.ts";
import { logicWordsText, unknownValueText } from "../words/thread.ts";
import { oneLine } from "../words/visible.ts";
import { allPages } from "./core/connection.ts";
import type { Invocation } from "./core/context.ts";
import { instantOf } from "./core/flags.ts";
import { appIdOf } from "./core/ids.ts";
import { type Column, note, noteFurther, printList, refusePageOfAll } from "./core/output.ts";

/** The flags of `feedback search`. */
export interface SearchFlags {
  readonly app?: string;
  readonly status?: "open" | "in_progress" | "resolved" | "archived";
  readonly type?: "bug" | "feature" | "question" | "general";
  readonly from?: string;
  readonly to?: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly all?: boolean;
}

/** Prints the threads that a query finds in one app or in all apps, each with the line that matches. */
export async function searchFeedback(
  invocation: Invocation,
  { app, status, type, limit, all = false, ...flags }: SearchFlags,
  words: readonly string[],
): Promise<undefined> {
  refusePageOfAll({ all, limit, cursor: flags.cursor });
  const appId = app === undefined ? undefined : await appIdOf(invocation);
  const period = { from: instantOf("--from", flags.from), to: instantOf("--to", flags.to) };
  const { search } = invocation.client();
  const read = (cursor: string | undefined, most: string | undefined) =>
    search.list({ query: { q: words.join(" "), appId, status, type, ...period, cursor, limit: most } });
  const first = await read(flags.cursor, all ? String(limits.listPage.max) : limit);
  const items = [...first.items];
  let { nextCursor } = first;
  if (all && nextCursor !== null) {
    const from = nextCursor;
    for await (const page of allPages((cursor) => read(cursor ?? from, String(limits.listPage.max))))
      items.push(...page.items);
    nextCursor = null;
  }
  printList(invocation, { items, columns, extra: { nextCursor, search: first.search } });
  const hint = logicWordsText(words.join(" "));
  if (hint !== undefined) note(invocation, hint);
  if (first.search) noteFacts(invocation, first.search);
  noteFurther(invocation, { count: items.length, nextCursor, all: true });
}

const columns: readonly Column<SearchedThread>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "app", of: ({ appName }) => appName },
  { heading: "number", of: ({ number }) => number },
  { heading: "status", of: ({ status }) => status },
  { heading: "type", of: ({ category }) => category },
  { heading: "created", of: ({ createdAt }) => createdAt },
  { heading: "subject", of: ({ subject }) => subject },
  { heading: "found", of: ({ found }) => (found ? `${found.in}: ${found.text}` : "") },
];

function noteFacts(
  invocation: Invocation,
  { counts, didYouMean, indexing, unknownValues = [] }: SearchFacts,
): void {
  const { open, in_progress: inProgress, resolved, archived } = counts;
  note(invocation, `open ${open}, in_progress ${inProgress}, resolved ${resolved}, archived ${archived}`);
  if (didYouMean !== null) note(invocation, `Did you mean: ${oneLine(didYouMean)}`);
  for (const unknown of unknownValues) note(invocation, oneLine(unknownValueText(unknown)));
  if (indexing)
    note(invocation, "The search index is being built. Until that is done, older feedback may be missing.");
}
