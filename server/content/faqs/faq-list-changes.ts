import { hash } from "node:crypto";
import { ApiError } from "../../../src/contract/errors.ts";
import { hashedFaqText } from "../../../src/contract/faq-text.ts";
import type { ListedFaq, WantedFaq } from "../../../src/contract/faqs.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { etagOf, matchesEtag, type PreparedAnswer, prepareAnswer } from "../../http/answers.ts";
import { renewFaqs } from "./faq-changes.ts";
import { type FaqListChanges, planFaqList } from "./rules.ts";
import { faqs as rows } from "./store.ts";

/** The list of an app's FAQ with what the last push set, as both of its addresses answer it: either ETag is good for either change. */
export const faqListAnswer = async (reader: Reader, appId: string): Promise<PreparedAnswer> =>
  prepareAnswer(JSON.stringify(await rows.list(reader, appId)));

/** The list as apps read it. (rule C21) */
export const publishedFaqs = async (reader: Reader, appId: string): Promise<PreparedAnswer> =>
  prepareAnswer(publishedJson(await rows.list(reader, appId)));

const publishedJson = (list: readonly ListedFaq[]): string =>
  JSON.stringify(list.map(({ pushedHash: _, pushedSortOrder: __, ...faq }) => faq));

/** The list that an app's FAQ becomes, and the ETag that the sender has read. */
export interface Replacement {
  readonly appId: string;
  readonly wanted: readonly WantedFaq[];
  readonly ifMatch: string | undefined;
  /** The account of the member who sends it. */
  readonly by?: string;
}

/**
 * Replaces the FAQ of an app with the given list. Gives whether anything changed. Throws `precondition_required` without
 * an ETag, `precondition_failed` if the list has changed since, `bad_request` for ids that are not of the app.
 */
export async function replaceFaqs(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { appId, wanted, ifMatch, by }: Replacement,
): Promise<boolean> {
  if (ifMatch === undefined) throw new ApiError("precondition_required");
  await rows.lock(tx, appId);
  const present = await rows.list(tx, appId);
  // The sender has read the list with what the last push set, or without.
  const etags = [etagOf(JSON.stringify(present)), etagOf(publishedJson(present))];
  if (!etags.some((etag) => matchesEtag(ifMatch, etag))) throw new ApiError("precondition_failed");
  const plan = planFaqList(present, wanted.map(withHash));
  if ("wrong" in plan) {
    const issues = plan.wrong.map(({ at, why }) => ({ path: `faqs.${at}.id`, message: why }));
    throw new ApiError("bad_request", { issues });
  }
  if (plan.create.length + plan.update.length + plan.remove.length === 0) return false;
  await save(deps, tx, { appId, plan, by });
  await renewFaqs(tx, appId);
  return true;
}

const withHash = ({ question, answer, ...faq }: WantedFaq) =>
  question === undefined || answer === undefined
    ? faq
    : { ...faq, text: { question, answer, pushedHash: hash("sha256", hashedFaqText({ question, answer })) } };

async function save(
  { clock, newId }: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { appId, plan, by }: Pick<Replacement, "appId" | "by"> & { readonly plan: FaqListChanges },
): Promise<void> {
  const at = clock.now().toISOString();
  for (const id of plan.remove) await rows.remove(tx, appId, id);
  for (const { isEdit, ...faq } of plan.update)
    await rows.replace(tx, { appId, id: faq.id }, { ...faq, by, at: isEdit ? at : undefined });
  for (const faq of plan.create) await rows.insert(tx, { ...faq, id: newId(), appId, at, by });
}
