import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { planFaqList, type WantedFaq } from "../../domain/content/faq-list.ts";
import { faqs as rows } from "../../store/content/faqs.ts";
import type { Transaction } from "../../store/engine/database.ts";
import { renewFaqs } from "./faq-changes.ts";

/**
 * Replaces the FAQ of an app with the given list. Gives whether anything changed. Throws `bad_request` for ids that are
 * not of the app.
 */
export async function replaceFaqs(
  { clock, newId }: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { appId, wanted }: { readonly appId: string; readonly wanted: readonly WantedFaq[] },
): Promise<boolean> {
  await tx.lock(`faqs:${appId}`);
  const plan = planFaqList(await rows.list(tx, appId), wanted);
  if ("wrong" in plan) {
    const issues = plan.wrong.map(({ at, why }) => ({ path: `faqs.${at}.id`, message: why }));
    throw new ApiError("bad_request", { issues });
  }
  const { create, update, remove } = plan;
  if (create.length + update.length + remove.length === 0) return false;
  const at = clock.now().toISOString();
  for (const id of remove) await rows.remove(tx, appId, id);
  for (const faq of update) await rows.update(tx, { appId, id: faq.id }, { ...faq, at });
  for (const faq of create) await rows.insert(tx, { ...faq, id: newId(), appId, at });
  await renewFaqs(tx, appId);
  return true;
}
