import type { Faq, FaqChange, NewFaq } from "../../../src/contract/faqs.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Transaction } from "../../database/database.ts";
import { appTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { faqs as rows } from "./store.ts";

/** The id of an entry and of its app. */
export interface FaqKey {
  readonly appId: string;
  readonly id: string;
}

type Making = Pick<Deps, "clock" | "newId">;

/** Adds an entry, without `sortOrder` at the end. Entries with the same sort order keep the order of their creation. */
export async function createFaq(
  { clock, newId }: Making,
  tx: Transaction,
  { appId, faq, by }: { readonly appId: string; readonly faq: NewFaq; readonly by?: string },
): Promise<Faq> {
  await rows.lock(tx, appId);
  const sortOrder = faq.sortOrder ?? Math.min(await rows.nextSortOrder(tx, appId), limits.sortOrder.max);
  const row = { id: newId(), appId, question: faq.question, answer: faq.answer, sortOrder };
  await rows.insert(tx, { ...row, by, at: clock.now().toISOString() });
  await renewFaqs(tx, appId);
  return row;
}

/** Changes the given fields. Undefined if the entry does not exist. */
export async function updateFaq(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  { key, change, by }: { readonly key: FaqKey; readonly change: FaqChange; readonly by?: string },
): Promise<Faq | undefined> {
  const { appId, id } = key;
  if (Object.values(change).every((value) => value === undefined)) return rows.find(tx, appId, id);
  await rows.lock(tx, appId);
  const faq = await rows.update(tx, { appId, id }, { ...change, by, at: clock.now().toISOString() });
  if (faq) await renewFaqs(tx, appId);
  return faq;
}

/** Deletes an entry permanently. False if it does not exist. */
export async function removeFaq(tx: Transaction, { appId, id }: FaqKey): Promise<boolean> {
  await rows.lock(tx, appId);
  if ((await rows.remove(tx, appId, id)) === 0) return false;
  await renewFaqs(tx, appId);
  return true;
}

/** Makes cached answers of an app's FAQ out of date. */
export async function renewFaqs(tx: Transaction, appId: string): Promise<void> {
  await rows.bumpVersion(tx, appId);
  tx.signal(appTopic(appId));
}
