import { hash } from "node:crypto";
import { ApiError } from "../../../src/contract/errors.ts";
import { hashedFaqText } from "../../../src/contract/faq-text.ts";
import type {
  consoleFaqs as consoleContract,
  faqs as contract,
  Faq,
  FaqChange,
  NewFaq,
  WantedFaq,
} from "../../../src/contract/faqs.ts";
import { lookedForLanguages } from "../../../src/contract/language-tags.ts";
import { limits } from "../../../src/contract/limits.ts";
import { ownedApp } from "../../access/apps/owned-app.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { etagOf, matchesEtag, prepareAnswer } from "../../http/answers.ts";
import { type Handlers, withTraits } from "../../http/handler.ts";
import { baseOf } from "../texts/base.ts";
import { picturesIn } from "../texts/rules.ts";
import { type NotePictures, removing } from "../texts/sweep.ts";
import { faqIn, faqTranslations, listedFaq, publishedFaq, pushedFaq, replacedFaq } from "./answer.ts";
import { type FaqListChanges, type FaqText, planFaqList } from "./rules.ts";
import { type ListedFaqRow, faqs as rows } from "./store.ts";
import {
  faqDrafts,
  keepVersion,
  refuseTooMany,
  storedTranslations,
  translatedAfter,
  unpublish,
} from "./drafts.ts";
import { renewFaqs } from "./renew.ts";

type FaqDeps = Pick<Deps, "clock" | "database" | "keptFiles" | "log" | "newId">;

export const faqs = (deps: FaqDeps & Pick<Deps, "answers">): Handlers<typeof contract> => ({
  list: withTraits({ ready: true }, ({ caller: { appId, faqsVersion }, query: { include, lang } }) => {
    const wanted = lang === undefined ? undefined : (lookedForLanguages(lang)[0] ?? "");
    const form = include ?? (wanted === undefined ? "" : `lang ${wanted}`);
    return deps.answers.recall(
      { name: `faqs:${form}:${appId}`, version: faqsVersion, now: deps.clock.now() },
      async () => {
        const list = await rows.list(deps.database, appId);
        if (include === undefined && wanted !== undefined)
          return { answer: prepareAnswer(JSON.stringify(list.map((row) => faqIn(row, wanted)))) };
        return { answer: prepareAnswer(jsonOf(list)[include ?? "published"]()) };
      },
    );
  }),

  replace: ({ caller: { appId }, body, ifMatch, save }) =>
    removing(deps, (remove) =>
      save(async (tx) => {
        await replaceFaqs({ ...deps, remove }, tx, { appId, wanted: body.faqs, ifMatch });
        return (await rows.list(tx, appId)).map(replacedFaq);
      }),
    ),

  create: ({ caller, body, save }) => save((tx) => createFaq(deps, tx, { appId: caller.appId, faq: body })),

  update: ({ caller, params, body, save }) =>
    save(async (tx) => {
      const key = { appId: caller.appId, id: params.faqId };
      const faq = await updateFaq(deps, tx, { key, change: body });
      if (!faq) throw new ApiError("not_found");
      return faq;
    }),

  remove: ({ caller, params, save }) =>
    removing(deps, (remove) =>
      save(async (tx) => {
        const key = { appId: caller.appId, id: params.faqId };
        // An app key cannot see drafts. (rule C29)
        const removed =
          (await rows.find(tx, key.appId, key.id)) && (await removeFaq(deps, tx, { ...key, remove }));
        if (!removed) throw new ApiError("not_found");
        return { success: true };
      }),
    ),
});

export function consoleFaqs(deps: FaqDeps): Handlers<typeof consoleContract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller, params }) {
      await ownedApp(deps.database, params.appId, caller);
      return prepareAnswer(jsonOf(await rows.list(deps.database, params.appId)).translations());
    },

    create: ({ caller, address, params: { appId }, body, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const faq = await createFaq(deps, tx, { appId, faq: body, by: caller.userId });
        await record(tx, { caller, address }, { action: "faq.create", appId, target: faq.id });
        return faq;
      }),

    replace: ({ caller, address, params: { appId }, body, ifMatch, save }) =>
      removing(deps, (remove) =>
        save(async (tx) => {
          await ownedApp(tx, appId, caller);
          const wanted = { appId, wanted: body.faqs, ifMatch, by: caller.userId };
          const changed = await replaceFaqs({ ...deps, remove }, tx, wanted);
          if (changed) await record(tx, { caller, address }, { action: "faq.replace", appId });
          return (await rows.list(tx, appId)).map(replacedFaq);
        }),
      ),

    update: ({ caller, address, params, body, save }) =>
      save(async (tx) => {
        const key = await ownedFaq(tx, params.faqId, caller);
        const before = (await rows.list(tx, key.appId)).find(({ id }) => id === key.id);
        const faq = await updateFaq(deps, tx, { key, change: body, by: caller.userId });
        if (!faq) {
          // The entry may also have been deleted in the meantime.
          await ownedFaq(tx, params.faqId, caller);
          throw new ApiError("wrong_state", { message: isDraft });
        }
        const changes = changesBetween({ ...before }, body, ["question", "answer", "translations"]);
        await record(
          tx,
          { caller, address },
          { action: "faq.update", appId: key.appId, target: faq.id, changes },
        );
        return faq;
      }),

    ...faqDrafts(deps),

    remove: ({ caller, address, params, save }) =>
      removing(deps, (remove) =>
        save(async (tx) => {
          const key = await ownedFaq(tx, params.faqId, caller);
          if (!(await removeFaq(deps, tx, { ...key, remove }))) throw new ApiError("not_found");
          await record(tx, { caller, address }, { action: "faq.delete", appId: key.appId, target: key.id });
          return { success: true };
        }),
      ),
  };
}

const isDraft = "This entry is not published. Change its draft.";

async function ownedFaq(tx: Transaction, id: string, viewer: Viewer): Promise<FaqKey> {
  const found = await rows.findApp(tx, id, viewer);
  if (!found) throw new ApiError("not_found");
  return { id, appId: found.appId };
}

/**
 * Returns functions that convert the FAQ to JSON, one for each form of the answer. The endpoints for apps and for the
 * console return the same JSON. So a client can read the list from one of them and use its ETag with the other one.
 */
const jsonOf = (list: readonly ListedFaqRow[]) => ({
  published: () => JSON.stringify(list.map(publishedFaq)),
  push: () => JSON.stringify(list.map(pushedFaq)),
  translations: () => JSON.stringify(list.map(listedFaq)),
});

/** The list that replaces an app's FAQ. */
interface Replacement {
  readonly appId: string;
  readonly wanted: readonly WantedFaq[];
  /** The ETag of the list that the client has read. */
  readonly ifMatch: string | undefined;
  /** The account of the member who sends the list. */
  readonly by?: string;
}

/**
 * Replaces the FAQ of an app. Returns whether this changed anything. Throws `precondition_required` without an ETag,
 * `precondition_failed` if the list has changed since the client read it, and `bad_request` for ids of other apps.
 * (rule C20)
 */
async function replaceFaqs(
  deps: Saving,
  tx: Transaction,
  { appId, wanted, ifMatch, by }: Replacement,
): Promise<boolean> {
  if (ifMatch === undefined) throw new ApiError("precondition_required");
  await rows.lock(tx, appId);
  const present = await rows.list(tx, appId);
  // The client may have read the list in any form: as apps get it, with the values of the last push, or with
  // translations.
  const isRead = Object.values(jsonOf(present)).some((json) => matchesEtag(ifMatch, etagOf(json())));
  if (!isRead) throw new ApiError("precondition_failed");
  const at = deps.clock.now().toISOString();
  const parsed = present.map((row) => ({ ...row, translations: faqTranslations(row) }));
  const plan = planFaqList(parsed, wanted.map(withHash), { at, baseOf, pushed: hashOf });
  if ("wrong" in plan) {
    const issues = plan.wrong.map(({ at: place, why }) => ({ path: `faqs.${place}.id`, message: why }));
    throw new ApiError("bad_request", { issues });
  }
  if (plan.create.length + plan.update.length + plan.remove.length === 0) return false;
  for (const { translations } of [...plan.create, ...plan.update]) refuseTooMany(translations);
  await save(deps, tx, { appId, plan, by });
  await renewFaqs(deps, tx, { appId, entryIds: changedIn(plan) });
  return true;
}

/** Returns the ids of the entries that a new list changes or deletes. */
const changedIn = ({ update, remove }: FaqListChanges): string[] => [
  ...update.map(({ id }) => id),
  ...remove,
];

const withHash = ({ question, answer, ...faq }: WantedFaq) =>
  question === undefined || answer === undefined
    ? faq
    : { ...faq, text: { question, answer, pushedHash: hashOf({ question, answer }) } };

const hashOf = (text: FaqText): string => hash("sha256", hashedFaqText(text));

/** The parameters of a replacement. `remove` is called with the pictures of deleted texts. */
type Saving = Pick<Deps, "clock" | "newId"> & { readonly remove: NotePictures };

async function save(
  { clock, newId, remove }: Saving,
  tx: Transaction,
  { appId, plan, by }: Pick<Replacement, "appId" | "by"> & { readonly plan: FaqListChanges },
): Promise<void> {
  const at = clock.now().toISOString();
  const removed = await rows.listAnswers(tx, appId, plan.remove);
  for (const id of plan.remove) if (!(await unpublish(tx, { appId, id }))) await rows.remove(tx, appId, id);
  for (const { isEdit, ...faq } of plan.update) {
    if (isEdit) await keepVersion({ newId }, tx, { appId, id: faq.id }, faq);
    const translations = JSON.stringify(faq.translations);
    await rows.replace(tx, { appId, id: faq.id }, { ...faq, translations, by, at: isEdit ? at : undefined });
  }
  for (const faq of plan.create) {
    const translations = storedTranslations(faq.translations);
    await rows.insert(tx, { ...faq, translations, id: newId(), appId, at, by });
  }
  remove({ appId, names: picturesIn(removed) });
}

/** The id of an entry, and the id of its app. */
interface FaqKey {
  readonly appId: string;
  readonly id: string;
}

/**
 * Adds an entry. Without a `sortOrder`, the entry is added at the end. Entries with the same sort order are sorted by
 * the time of their creation. (rule C1)
 */
export async function createFaq(
  { clock, newId }: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { appId, faq, by }: { readonly appId: string; readonly faq: NewFaq; readonly by?: string },
): Promise<Faq> {
  await rows.lock(tx, appId);
  const sortOrder = faq.sortOrder ?? Math.min(await rows.nextSortOrder(tx, appId), limits.sortOrder.max);
  const row = { id: newId(), appId, question: faq.question, answer: faq.answer, sortOrder };
  const at = clock.now().toISOString();
  const translations = translatedAfter({ ...faq, translations: {} }, faq.translations, at);
  await rows.insert(tx, { ...row, translations: storedTranslations(translations), by, at });
  await renewFaqs({ clock, newId }, tx, { appId, entryIds: [row.id] });
  return row;
}

/**
 * Changes the given fields. Returns undefined if the entry does not exist. Changes nothing if no field is given. (rule
 * C3)
 */
async function updateFaq(
  { clock, newId }: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { key, change, by }: { readonly key: FaqKey; readonly change: FaqChange; readonly by?: string },
): Promise<Faq | undefined> {
  const { appId, id } = key;
  if (Object.values(change).every((value) => value === undefined)) return rows.find(tx, appId, id);
  await rows.lock(tx, appId);
  const at = clock.now().toISOString();
  const stored = await rows.findStored(tx, appId, id);
  const { question = stored?.question ?? "", answer = stored?.answer ?? "" } = change;
  const before = stored ? faqTranslations(stored) : {};
  const translations = translatedAfter({ question, answer, translations: before }, change.translations, at);
  await keepVersion({ newId }, tx, key, { question, answer, translations });
  const given = change.translations && JSON.stringify(translations);
  const faq = await rows.update(tx, { appId, id }, { ...change, translations: given, by, at });
  if (faq) await renewFaqs({ clock, newId }, tx, { appId, entryIds: [id] });
  return faq;
}

/** Deletes an entry permanently. Returns false if it does not exist. (rule C4) */
async function removeFaq(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { appId, id, remove }: FaqKey & { readonly remove: NotePictures },
): Promise<boolean> {
  await rows.lock(tx, appId);
  const shown = picturesIn(await rows.listAnswers(tx, appId, [id]));
  const wasPublished = (await rows.find(tx, appId, id)) !== undefined;
  if ((await rows.remove(tx, appId, id)) === 0) return false;
  remove({ appId, names: shown });
  if (wasPublished) await renewFaqs(deps, tx, { appId, entryIds: [id] });
  return true;
}
