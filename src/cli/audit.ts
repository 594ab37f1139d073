import type { AuditEntry } from "../contract/audit.ts";
import { limits } from "../contract/limits.ts";
import { appIdOf } from "./core/app-id.ts";
import { choices } from "./core/choices.ts";
import { usageError } from "./core/cli-error.ts";
import { didYouMean } from "./core/closest.ts";
import type { Invocation } from "./core/context.ts";
import { instantOf } from "./core/instant.ts";
import { type Column, note, printLine, printList } from "./core/output.ts";
import { allPages } from "./core/pages.ts";
import { onOneLine } from "./core/plain-text.ts";

export interface AuditFlags {
  readonly app?: string;
  readonly action?: string;
  readonly actor?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly all?: boolean;
  readonly ndjson?: boolean;
}

interface Page {
  readonly items: readonly AuditEntry[];
  readonly nextCursor: string | null;
}

/** Lists what was done, newest first: one page, or all. With `--ndjson` each page is written before the next is read. */
export async function listAudit(invocation: Invocation, flags: AuditFlags): Promise<undefined> {
  if (flags.all && (flags.limit !== undefined || flags.cursor !== undefined))
    throw usageError("--all shows everything: give it without --limit and --cursor.");
  if (flags.ndjson && invocation.flags.json) throw usageError("--ndjson is JSON already: leave out --json.");
  const pages = await pagesOf(invocation, flags);
  if (flags.ndjson) return writeLines(invocation, pages, flags);
  const items: AuditEntry[] = [];
  let nextCursor: string | null = null;
  for await (const page of pages) {
    items.push(...page.items);
    nextCursor = page.nextCursor;
  }
  printList(invocation, { items, columns, extra: { nextCursor } });
  if (items.length === 0) warnOfUnknown(invocation, flags);
  noteMore(invocation, nextCursor);
}

/** A later server may know more actions than this command. So nothing is refused. */
function warnOfUnknown(invocation: Invocation, { action }: AuditFlags): void {
  const known: readonly string[] = choices.auditActions;
  if (action === undefined || known.includes(action)) return;
  const meant = didYouMean(action, known).trim() || `The actions are ${known.join(", ")}.`;
  note(invocation, `warning: innkeep knows no action "${onOneLine(action)}". ${meant}`);
}

const columns: readonly Column<AuditEntry>[] = [
  { heading: "at", of: ({ at }) => at },
  { heading: "actor", of: ({ actor }) => actor },
  { heading: "action", of: ({ action }) => action },
  { heading: "app", of: ({ appId }) => appId, isId: true },
  { heading: "target", of: ({ target }) => target, isId: true },
  { heading: "address", of: ({ address }) => address },
];

async function pagesOf(invocation: Invocation, flags: AuditFlags): Promise<AsyncIterable<Page>> {
  const { app, action, actor, limit, cursor, all } = flags;
  const query = {
    appId: app === undefined ? undefined : await appIdOf(invocation, app),
    action,
    actor,
    from: instantOf("--from", flags.from),
    to: instantOf("--to", flags.to),
  };
  const { list } = invocation.client().audit;
  if (!all) return onePage(await list({ query: { ...query, limit, cursor } }));
  const largest = String(limits.listPage.max);
  return allPages((after) => list({ query: { ...query, limit: largest, cursor: after } }));
}

async function* onePage(page: Page): AsyncGenerator<Page> {
  yield page;
}

async function writeLines(
  invocation: Invocation,
  pages: AsyncIterable<Page>,
  flags: AuditFlags,
): Promise<undefined> {
  let nextCursor: string | null = null;
  let count = 0;
  for await (const page of pages) {
    count += page.items.length;
    for (const entry of page.items) printLine(invocation, entry);
    nextCursor = page.nextCursor;
  }
  if (count === 0) warnOfUnknown(invocation, flags);
  noteMore(invocation, nextCursor);
}

function noteMore(invocation: Invocation, nextCursor: string | null): void {
  if (nextCursor) note(invocation, `There are more: --cursor ${nextCursor}, or --all.`);
}
