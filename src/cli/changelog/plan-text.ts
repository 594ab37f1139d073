import type { Invocation } from "../core/context.ts";
import { details } from "../core/details.ts";
import { printList, printOne } from "../core/output.ts";
import type { ReleaseEntry } from "./entry.ts";

/** Shows each entry with the fields that would be sent. */
export function showPlan(invocation: Invocation, entries: readonly ReleaseEntry[]): undefined {
  const items = entries.map(({ version, body, draftReason }) => ({
    version,
    ...body,
    ...(draftReason !== undefined && { draftReason }),
  }));
  if (invocation.flags.fields !== undefined || invocation.flags.json)
    printList(invocation, { items, columns: [], name: "entries", extra: { dryRun: true } });
  else printOne(invocation, items, () => entries.map(textOf).join("\n\n") || "There is nothing to import.");
}

function textOf({ version, body, draftReason }: ReleaseEntry): string {
  const { publishedAt, publish } = body;
  const published = publish ? "now" : (publishedAt ?? "a draft");
  return details({
    version,
    title: body.title,
    platforms: body.versions?.map((one) => `${one.platform} ${one.version}`).join(", "),
    type: body.releaseType ?? "from the version before",
    published: draftReason === undefined ? published : `a draft, because ${draftReason}`,
    shows: body.bodyFormat === "items" ? "the items" : "the text",
    body: body.body,
    items: body.items?.map(({ type, text }) => `${type}: ${text}`).join("\n"),
  });
}
