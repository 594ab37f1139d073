import * as z from "zod/mini";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type { consoleFaqs as contract, DraftedFaq } from "../../../src/contract/faqs.ts";
import { limits } from "../../../src/contract/limits.ts";
import { ownedApp } from "../../access/apps/owned-app.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { isConflict, storedContent } from "../texts/drafts-rules.ts";
import { versions } from "../texts/drafts-store.ts";
import { baseOf } from "../texts/base.ts";
import {
  changedTexts,
  faultOfTranslations,
  haveSameTexts,
  mergedTranslations,
  type Translations,
  type TranslationTexts,
  textsOf,
} from "../texts/languages-rules.ts";
import { faqTranslations, translationsAnswer } from "./answer.ts";
import type { FaqText } from "./rules.ts";
import { faqs as rows, type StoredFaq } from "./store.ts";
import { renewFaqs } from "./renew.ts";

type DraftHandlers = Pick<
  Handlers<typeof contract>,
  "drafts" | "createDraft" | "read" | "saveDraft" | "removeDraft" | "publish" | "history" | "restore"
>;

/** The endpoints for unpublished texts of the FAQ. (rules C29, C30, C31) */
export function faqDrafts(deps: Pick<Deps, "clock" | "database" | "newId">): DraftHandlers {
  const record = createAuditWriter(deps);
  const now = () => deps.clock.now().toISOString();
  return {
    async drafts({ caller, params: { appId } }) {
      await ownedApp(deps.database, appId, caller);
      return (await rows.listDrafts(deps.database, appId)).map(draftedFaq);
    },

    createDraft: ({ caller, address, params: { appId }, body, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        await rows.lock(tx, appId);
        const { translations, ...text } = body;
        const stored = translatedAfter({ ...text, translations: {} }, translations, now());
        const faq = { ...text, id: deps.newId(), appId, sortOrder: 0, draft: storedContent(text) };
        const row = { ...faq, translations: storedTranslations(stored), at: now(), by: caller.userId };
        await rows.insert(tx, row);
        await record(tx, { caller, address }, { action: "faq.draft", appId, target: faq.id });
        return answerOf(tx, faq);
      }),

    read: async ({ caller, params }) =>
      answerOf(deps.database, await ownedKey(deps.database, params.faqId, caller)),

    saveDraft: ({ caller, address, params, body, save }) =>
      save(async (tx) => {
        const { key, faq } = await lockedFaq(tx, params.faqId, caller);
        const draft = draftOf(faq);
        const { question = draft.question, answer = draft.answer } = body;
        const translations = { ...draft.translations, ...body.translations };
        const content = { question, answer, translations };
        await setDraft(tx, faq, { content, at: now(), by: caller.userId });
        await record(tx, { caller, address }, { action: "faq.draft", appId: key.appId, target: key.id });
        return answerOf(tx, key);
      }),

    removeDraft: ({ caller, address, params, save }) =>
      save(async (tx) => {
        const { key, faq } = await lockedFaq(tx, params.faqId, caller);
        if (faq.unpublished === 1) throw new ApiError("wrong_state", { message: neverPublished });
        if (faq.draft !== null) {
          await rows.set(tx, faq.id, noDraft);
          await record(tx, { caller, address }, { action: "faq.discard", appId: key.appId, target: key.id });
        }
        return answerOf(tx, key);
      }),

    publish: ({ caller, address, params, save }) =>
      save(async (tx) => {
        const { key, faq } = await lockedFaq(tx, params.faqId, caller);
        if (faq.draft === null) return answerOf(tx, key);
        if (isConflicting(faq)) throw new ApiError("draft_conflict");
        const { translations: changed, ...text } = draftOf(faq);
        const isNew = faq.unpublished === 1;
        const translations = translatedAfter({ ...text, translations: faqTranslations(faq) }, changed, now());
        if (!isNew) await keepVersion(deps, tx, key, { ...text, translations });
        const last = isNew ? await rows.nextSortOrder(tx, key.appId) : faq.sortOrder;
        await rows.set(tx, faq.id, {
          ...{ ...text, ...noDraft, translations: storedTranslations(translations) },
          ...{ unpublished: 0, updatedAt: now(), updatedBy: caller.userId },
          sortOrder: Math.min(last, limits.sortOrder.max),
        });
        await renewFaqs(deps, tx, { appId: key.appId, entryIds: [key.id] });
        await record(tx, { caller, address }, { action: "faq.publish", appId: key.appId, target: key.id });
        return answerOf(tx, key);
      }),

    async history({ caller, params: { faqId } }) {
      await ownedKey(deps.database, faqId, caller);
      const found = await versions.list(deps.database, { faqId });
      return {
        items: found.map(({ id, content, at, by, byName }) => {
          const { translations = {}, ...text } = textIn(content);
          return { id, ...text, translations: keptOf(translations), at, by, byName };
        }),
      };
    },

    restore: ({ caller, address, params, body, save }) =>
      save(async (tx) => {
        const { key, faq } = await lockedFaq(tx, params.faqId, caller);
        const version = await versions.find(tx, { faqId: faq.id }, body.version);
        if (!version) throw new ApiError("not_found");
        const { translations = {}, ...text } = textIn(version.content);
        const content = { ...text, translations: keptOf(translations) };
        await setDraft(tx, faq, { content, at: now(), by: caller.userId });
        await record(tx, { caller, address }, { action: "faq.draft", appId: key.appId, target: key.id });
        return answerOf(tx, key);
      }),
  };
}

const neverPublished = "This entry was never published. Delete the entry to discard its draft.";

const noDraft = { draft: null, draftBase: null, draftAt: null, draftBy: null } as const;

/** The text of a draft or of an earlier version. A draft has only the translations that it changes. */
interface StoredText extends FaqText {
  readonly translations?: TranslationTexts<FaqText> | undefined;
}

const Text = z.object({ question: z.string(), answer: z.string() });

const StoredText = z.extend(Text, { translations: z.optional(z.record(z.string(), z.nullable(Text))) });

const textIn = (content: string): StoredText => StoredText.parse(JSON.parse(content));

const publishedOf = ({ question, answer }: FaqText) => ({ question, answer });

const draftOf = (faq: StoredFaq): StoredText => (faq.draft === null ? publishedOf(faq) : textIn(faq.draft));

/** Returns the translations without the deleted ones, which are null. */
const keptOf = (texts: TranslationTexts<FaqText>): Record<string, FaqText> =>
  Object.fromEntries(Object.entries(texts).flatMap(([language, text]) => (text ? [[language, text]] : [])));

/**
 * Returns the published text of an entry, and the published translations in those languages that a draft changes. (rule
 * C30)
 */
function baseOfDraft(faq: StoredFaq, changed: TranslationTexts<FaqText> = {}) {
  const published = textsOf(faqTranslations(faq));
  const languages = Object.keys(changed).sort();
  const translations = Object.fromEntries(languages.map((one) => [one, published[one] ?? null]));
  return { ...publishedOf(faq), ...(languages.length > 0 && { translations }) };
}

const isConflicting = (faq: StoredFaq): boolean =>
  isConflict(faq, baseOfDraft(faq, draftOf(faq).translations));

/**
 * Returns the translations of an entry after a change. Throws `bad_request` for too many languages. (rule C34)
 */
export function translatedAfter(
  { question, answer, translations }: FaqText & { readonly translations: Translations<FaqText> },
  given: TranslationTexts<FaqText> | undefined,
  at: string,
): Translations<FaqText> {
  const merged = mergedTranslations(translations, given, { base: baseOf({ question, answer }), at });
  refuseTooMany(merged);
  return merged;
}

/** Throws `bad_request` for too many or too long translations. */
export function refuseTooMany(translations: object): void {
  const fault = faultOfTranslations(translations);
  if (fault !== undefined) throw badRequest("translations", fault);
}

/** Returns the value of the column `translations`; null if there are no translations. */
export const storedTranslations = (translations: Translations<FaqText>): string | null =>
  Object.keys(translations).length === 0 ? null : JSON.stringify(translations);

interface Key {
  readonly appId: string;
  readonly id: string;
}

async function ownedKey(reader: Reader, id: string, viewer: Viewer): Promise<Key> {
  const found = await rows.findApp(reader, id, viewer);
  if (!found) throw new ApiError("not_found");
  return { id, appId: found.appId };
}

async function lockedFaq(tx: Transaction, id: string, viewer: Viewer) {
  const key = await ownedKey(tx, id, viewer);
  await rows.lock(tx, key.appId);
  const faq = await rows.findStored(tx, key.appId, id);
  if (!faq) throw new ApiError("not_found");
  return { key, faq };
}

async function answerOf(reader: Reader, { appId, id }: Key): Promise<DraftedFaq> {
  const faq = await rows.findStored(reader, appId, id);
  if (!faq) throw new ApiError("not_found");
  return draftedFaq(faq);
}

/** Returns the draft as the API returns it to members. */
function draftAnswer(faq: StoredFaq): DraftedFaq["draft"] {
  if (faq.draft === null) return null;
  const { translations = {}, ...text } = textIn(faq.draft);
  return { ...text, translations, updatedAt: faq.draftAt ?? faq.updatedAt, conflict: isConflicting(faq) };
}

const draftedFaq = (faq: StoredFaq): DraftedFaq => ({
  id: faq.id,
  published: faq.unpublished === 0,
  question: faq.question,
  answer: faq.answer,
  sortOrder: faq.unpublished === 0 ? faq.sortOrder : null,
  translations: translationsAnswer(faq, faqTranslations(faq)),
  draft: draftAnswer(faq),
  createdAt: faq.createdAt,
  updatedAt: faq.updatedAt,
});

/**
 * Stores a draft. For an entry that was never published, the text of the draft is also stored as the text of the entry,
 * and translations are stored immediately.
 */
async function setDraft(
  tx: Transaction,
  faq: StoredFaq,
  {
    content: { translations = {}, ...text },
    at,
    by,
  }: { readonly content: StoredText; readonly at: string; readonly by: string },
): Promise<void> {
  const before = faqTranslations(faq);
  const author = { draftAt: at, draftBy: by };
  if (faq.unpublished === 1) {
    const own = storedTranslations(translatedAfter({ ...text, translations: before }, translations, at));
    const shown = { ...text, translations: own, updatedAt: at, updatedBy: by };
    await rows.set(tx, faq.id, { ...author, ...shown, draft: storedContent({ ...text }), draftBase: null });
    return;
  }
  const changed = changedTexts(before, translations);
  translatedAfter({ ...text, translations: before }, changed, at);
  const hasChanged = Object.keys(changed).length > 0;
  await rows.set(tx, faq.id, {
    ...{ ...author, draft: storedContent({ ...text, ...(hasChanged && { translations: changed }) }) },
    draftBase: storedContent(baseOfDraft(faq, changed)),
  });
}

/**
 * Stores the published text and translations of an entry as an earlier text, if a change replaces any of them. (rule
 * C31)
 */
export async function keepVersion(
  { newId }: Pick<Deps, "newId">,
  tx: Transaction,
  { appId, id }: Key,
  after: FaqText & { readonly translations: Translations<FaqText> },
): Promise<void> {
  const faq = await rows.findStored(tx, appId, id);
  if (!faq || faq.unpublished === 1) return;
  const translations = faqTranslations(faq);
  const isSame = after.question === faq.question && after.answer === faq.answer;
  if (isSame && haveSameTexts(translations, after.translations)) return;
  const hasSome = Object.keys(translations).length > 0;
  const content = storedContent({
    ...publishedOf(faq),
    ...(hasSome && { translations: textsOf(translations) }),
  });
  const version = { id: newId(), appId, content, at: faq.updatedAt, writtenBy: faq.updatedBy };
  await versions.keep(tx, { faqId: id }, version);
}

/**
 * Changes an entry that has a draft into a draft that was never published, so that a new list without the entry does
 * not delete its unpublished text. Returns false for an entry without a draft. (rule C29)
 */
export async function unpublish(tx: Transaction, { appId, id }: Key): Promise<boolean> {
  const faq = await rows.findStored(tx, appId, id);
  if (!faq || faq.draft === null) return false;
  const { translations: changed, ...text } = draftOf(faq);
  const translations = translatedAfter(
    { ...text, translations: faqTranslations(faq) },
    changed,
    faq.draftAt ?? faq.updatedAt,
  );
  await rows.set(tx, id, {
    ...{ ...text, draft: storedContent({ ...text }), translations: storedTranslations(translations) },
    ...{ unpublished: 1, draftBase: null, pushedHash: null, pushedSortOrder: null },
  });
  return true;
}
