import type { Transaction } from "../../database/database.ts";
import { appTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import { faqs as rows } from "./store.ts";

/** The maximum number of ids of entries that an event contains. */
const mostNamed = 100;

/** Makes all cached answers with an app's FAQ invalid, and stores the event of the change. */
export async function renewFaqs(
  { clock, newId }: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { appId, entryIds }: { readonly appId: string; readonly entryIds: readonly string[] },
): Promise<void> {
  await rows.bumpVersion(tx, appId);
  tx.signal(appTopic(appId));
  await recordEvent({ newId }, tx, {
    ...{ appId, type: "faq.changed", subjectId: appId, at: clock.now().toISOString() },
    facts: { entryIds: entryIds.slice(0, mostNamed) },
  });
}
