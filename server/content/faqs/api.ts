import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import * as z from "zod/mini";
import { hashedFaqText } from "../../../src/contract/content-text.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type {
  consoleFaqs as consoleContract,
  faqs as contract,
  DraftedFaq,
  Faq,
  FaqChange,
  ListedFaq,
  NewFaq,
  WantedFaq,
} from "../../../src/contract/faqs.ts";
import { limits } from "../../../src/contract/limits.ts";
import { ownedApp } from "../../access/apps/store.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { appTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { etagOf, matchesAny, matchesEtag, type PreparedAnswer, prepareAnswer } from "../../http/answers.ts";
import { type Handlers, withTraits } from "../../http/handler.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import {
  changedTexts,
  effectiveLanguage,
  faultOfTranslations,
  isConflict,
  languageFor,
  mergedTranslations,
  picturesIn,
  storedContent,
  type Translations,
  type TranslationTexts,
  textsOf,
} from "../texts/rules.ts";
import { baseOf, versions } from "../texts/store.ts";
import { type NotePictures, removing } from "../texts/sweep.ts";
import { type FaqListChanges, type FaqText, faultOfSize, hasSameTexts, planFaqList } from "./rules.ts";
import { type ListedFaqRow, faqs as rows, type StoredFaq } from "./store.ts";

type FaqDeps = Pick<Deps, "answers" | "clock" | "database" | "keptFiles" | "log" | "newId"> & {
  readonly refused: RefusedEtags;
};

export const faqs = (given: Omit<FaqDeps, "refused">): Handlers<typeof contract> =>
  faqsOf({ ...given, refused: createRefusedEtags() });

const faqsOf = (deps: FaqDeps): Handlers<typeof contract> => ({
  list: withTraits({ ready: true }, async ({ caller: { appId, faqsVersion }, query: { include, lang } }) => {
    const listed = { appId, version: faqsVersion };
    const wanted =
      lang === undefined || include !== undefined
        ? undefined
        : effectiveLanguage(lang, await languagesOf(deps, listed));
    const form = include ?? (wanted === undefined ? "" : `lang ${wanted}`);
    return recallList(deps, listed, form, async () => {
      const list = await rows.list(deps.database, appId);
      if (wanted !== undefined) return prepareAnswer(JSON.stringify(list.map((row) => faqIn(row, wanted))));
      return prepareAnswer(jsonOf(list)[include ?? "published"]());
    });
  }),

  async replace({ caller: { appId }, body, ifMatch, save }) {
    const before = await compared(deps, appId, ifMatch);
    return removing(deps, (remove) =>
      save(async (tx) => {
        await replaceFaqs({ ...deps, remove }, tx, { appId, wanted: body.faqs, ifMatch, before });
        return (await rows.list(tx, appId)).map(replacedFaq);
      }),
    );
  },

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
        // An app key cannot see drafts, so it cannot delete them. (rule C29)
        const removed =
          (await rows.find(tx, key.appId, key.id)) && (await removeFaq(deps, tx, { ...key, remove }));
        if (!removed) throw new ApiError("not_found");
        return { success: true };
      }),
    ),
});

export function consoleFaqs(given: Omit<FaqDeps, "refused">): Handlers<typeof consoleContract> {
  const deps: FaqDeps = { ...given, refused: createRefusedEtags() };
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

    async replace({ caller, address, params: { appId }, body, ifMatch, save }) {
      await ownedApp(deps.database, appId, caller);
      const before = await compared(deps, appId, ifMatch);
      return removing(deps, (remove) =>
        save(async (tx) => {
          await ownedApp(tx, appId, caller);
          const wanted = { appId, wanted: body.faqs, ifMatch, before, by: caller.userId };
          const changed = await replaceFaqs({ ...deps, remove }, tx, wanted);
          if (changed) await record(tx, { caller, address }, { action: "faq.replace", appId });
          return (await rows.list(tx, appId)).map(replacedFaq);
        }),
      );
    },

    update: ({ caller, address, params, body, save }) =>
      save(async (tx) => {
        const key = await ownedFaq(tx, params.faqId, caller);
        const before = await rows.findStored(tx, key.appId, key.id);
        const faq = await updateFaq(deps, tx, { key, change: body, by: caller.userId });
        if (!faq) {
          // If another request has deleted the entry in the meantime, the error is `not_found`.
          await ownedFaq(tx, params.faqId, caller);
          throw new ApiError("wrong_state", { message: isDraft });
        }
        const changes = changesBetween({ ...before }, body, ["question", "answer", "translations"]);
        const action = { action: "faq.update", appId: key.appId, target: faq.id, changes } as const;
        await record(tx, { caller, address }, action);
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

/** A version of the FAQ of an app. */
interface FaqVersion {
  readonly appId: string;
  readonly version: number;
}

/** Returns the cached answer about a version of the FAQ. If there is none, creates and caches it. */
const recallList = (
  { answers, clock }: Pick<Deps, "answers" | "clock">,
  { appId, version }: FaqVersion,
  form: string,
  make: () => Promise<PreparedAnswer>,
): Promise<PreparedAnswer> =>
  answers.recall({ name: `faqs:${form}:${appId}`, version, now: clock.now() }, async () => ({
    answer: await make(),
  }));

/** Returns the languages of all translations of the FAQ. */
async function languagesOf(
  deps: Pick<Deps, "answers" | "clock" | "database">,
  listed: FaqVersion,
): Promise<readonly string[]> {
  const { body } = await recallList(deps, listed, "languages", async () =>
    prepareAnswer(JSON.stringify(await rows.listLanguages(deps.database, listed.appId))),
  );
  return z.array(z.string()).parse(JSON.parse(String(body)));
}

const isDraft = "This entry is not published. Change its draft.";

async function ownedFaq(tx: Transaction, id: string, viewer: Viewer): Promise<FaqKey> {
  const found = await rows.findApp(tx, id, viewer);
  if (!found) throw new ApiError("not_found");
  return { id, appId: found.appId };
}

/** Returns functions that convert the FAQ to JSON. `If-Match` may contain the ETag of each JSON text. */
const jsonOf = (list: readonly ListedFaqRow[]) => ({
  published: () => JSON.stringify(list.map(publishedFaq)),
  push: () => JSON.stringify(list.map(pushedFaq)),
  translations: () => JSON.stringify(list.map(listedFaq)),
});

/** A request that replaces the FAQ of an app by a new list. */
interface Replacement {
  readonly appId: string;
  readonly wanted: readonly WantedFaq[];
  /** The ETag of the list that the client has read. */
  readonly ifMatch: string | undefined;
  /**
   * The result of `compared` before the transaction. Valid only while the list has the version
   * `before.version`.
   */
  readonly before: Compared;
  /** The account of the member who sends the list. */
  readonly by?: string;
}

/**
 * Replaces an app's FAQ, and returns whether it changed. Throws `precondition_required`, `precondition_failed`,
 * `bad_request` (wrong ids) or `wrong_state` (too large). (rule C20)
 */
async function replaceFaqs(
  deps: Saving,
  tx: Transaction,
  { appId, wanted, ifMatch, before, by }: Replacement,
): Promise<boolean> {
  if (ifMatch === undefined) throw new ApiError("precondition_required");
  await rows.lock(tx, appId);
  const isSame = (await rows.version(tx, appId)) === before.version;
  if (isSame && !before.isRead) throw new ApiError("precondition_failed");
  const present = await rows.list(tx, appId);
  if (!isSame && !namesOneOf(ifMatch, etagsOf(present))) throw new ApiError("precondition_failed");
  const at = deps.clock.now().toISOString();
  const parsed = present.map((row) => ({ ...row, translations: faqTranslations(row) }));
  const plan = planFaqList(parsed, wanted.map(withHash), { at, baseOf, pushed: hashOf });
  if ("wrong" in plan) {
    const issues = plan.wrong.map(({ at: place, why }) => ({ path: `faqs.${place}.id`, message: why }));
    throw new ApiError("bad_request", { issues });
  }
  if (plan.create.length + plan.update.length + plan.remove.length === 0) return false;
  for (const { translations } of [...plan.create, ...plan.update]) refuseTooMany(translations);
  await withinLimits(tx, appId, () => save(deps, tx, { appId, plan, by }));
  await renewFaqs(deps, tx, { appId, entryIds: changedIn(plan) });
  return true;
}

/** A version of the list. `isRead` is true if `If-Match` contains an ETag of this version. */
interface Compared {
  readonly version: number;
  readonly isRead: boolean;
}

/**
 * Compares `If-Match` with the ETags of the list. Runs before the transaction, because a long list would delay other
 * writes.
 */
async function compared(deps: FaqDeps, appId: string, ifMatch: string | undefined): Promise<Compared> {
  const version = await rows.version(deps.database, appId);
  if (ifMatch === undefined || matchesAny(ifMatch)) return { version, isRead: ifMatch !== undefined };
  const listed = `${appId} ${version}`;
  const remembered = deps.refused.get(listed);
  if (remembered && !namesOneOf(ifMatch, remembered)) return { version, isRead: false };
  const { body } = await recallList(deps, { appId, version }, "etags", async () =>
    prepareAnswer(etagsOf(await rows.list(deps.database, appId)).join(",")),
  );
  const etags = String(body).split(",");
  const isRead = namesOneOf(ifMatch, etags);
  if (!isRead) deps.refused.set(listed, etags);
  return { version, isRead };
}

/**
 * The ETags of lists after a refused `If-Match`, by app and version. Entries expire, because restored databases
 * can reuse versions. (decision 04)
 */
type RefusedEtags = LRUCache<string, readonly string[]>;

const createRefusedEtags = (): RefusedEtags => new LRUCache({ max: 1_000, ttl: 60_000 });

/** Returns the ETags of a list, one for each JSON text that `jsonOf` can create. */
const etagsOf = (list: readonly ListedFaqRow[]): string[] =>
  Object.values(jsonOf(list)).map((json) => etagOf(json()));

const namesOneOf = (ifMatch: string, etags: readonly string[]): boolean =>
  etags.some((etag) => matchesEtag(ifMatch, etag));

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

/** `remove` is called with the pictures of deleted texts. */
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
    const translations = storedTranslations(faq.translations);
    await rows.replace(tx, { appId, id: faq.id }, { ...faq, translations, by, at: isEdit ? at : undefined });
  }
  for (const faq of plan.create) {
    const translations = storedTranslations(faq.translations);
    await rows.insert(tx, { ...faq, translations, id: newId(), appId, at, by });
  }
  remove({ appId, names: picturesIn(removed) });
}

interface FaqKey {
  readonly appId: string;
  readonly id: string;
}

/** Adds an entry, by default at the end. Also calls `renewFaqs`. (rule C1) */
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
  await withinLimits(tx, appId, () =>
    rows.insert(tx, { ...row, translations: storedTranslations(translations), by, at }),
  );
  await renewFaqs({ clock, newId }, tx, { appId, entryIds: [row.id] });
  return row;
}

/** Changes the given fields, and calls `renewFaqs`. Returns undefined if no published entry has this id. (rule C3) */
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
  if (!stored || stored.unpublished === 1) return undefined;
  const { question = stored.question, answer = stored.answer, sortOrder = stored.sortOrder } = change;
  // A request that contains translations is always a change, because it marks the translations as up to date.
  const isUnchanged =
    question === stored.question &&
    answer === stored.answer &&
    sortOrder === stored.sortOrder &&
    change.translations === undefined;
  if (isUnchanged) return { id, question, answer, sortOrder };
  const before = faqTranslations(stored);
  const translations = translatedAfter({ question, answer, translations: before }, change.translations, at);
  await keepVersion({ newId }, tx, key, { question, answer, translations });
  const isRewritten = !hasSameTexts({ ...stored, translations: before }, { question, answer, translations });
  await withinLimits(tx, appId, () =>
    rows.set(tx, id, {
      ...{ question, answer, sortOrder, updatedAt: at },
      ...(change.translations && { translations: storedTranslations(translations) }),
      ...(isRewritten ? { textAt: null, updatedBy: by ?? null } : { textAt: textTimeOf(stored) }),
    }),
  );
  await renewFaqs({ clock, newId }, tx, { appId, entryIds: [id] });
  return { id, question, answer, sortOrder };
}

/** Returns when the published texts of an entry were last changed. (rule C37) */
const textTimeOf = ({ textAt, updatedAt }: Pick<StoredFaq, "textAt" | "updatedAt">): string =>
  textAt ?? updatedAt;

/** Deletes an entry, and passes its pictures to `remove`. Returns false if there is no such entry. (rule C4) */
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

type DraftHandlers = Pick<
  Handlers<typeof consoleContract>,
  "drafts" | "createDraft" | "read" | "saveDraft" | "removeDraft" | "publish" | "history" | "restore"
>;

/** The endpoints for drafts, publication and earlier versions of FAQ entries. (rules C29, C30, C31) */
function faqDrafts(deps: Pick<Deps, "clock" | "database" | "newId">): DraftHandlers {
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
        await withinLimits(tx, appId, () => rows.insert(tx, row));
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
        await setDraft(tx, key, { faq, content, at: now(), by: caller.userId });
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
        await withinLimits(tx, key.appId, () =>
          rows.set(tx, faq.id, {
            ...{ ...text, ...noDraft, translations: storedTranslations(translations) },
            ...{ unpublished: 0, updatedAt: now(), updatedBy: caller.userId, textAt: null },
            sortOrder: Math.min(last, limits.sortOrder.max),
          }),
        );
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
        await setDraft(tx, key, { faq, content, at: now(), by: caller.userId });
        await record(tx, { caller, address }, { action: "faq.draft", appId: key.appId, target: key.id });
        return answerOf(tx, key);
      }),
  };
}

const neverPublished = "This entry is not published. Delete the entry to discard its draft.";

const noDraft = { draft: null, draftBase: null, draftAt: null, draftBy: null } as const;

/** The text of a draft or of an earlier version. A draft contains only the translations that it changes. */
interface StoredText extends FaqText {
  readonly translations?: TranslationTexts<FaqText> | undefined;
}

const Text = z.object({ question: z.string(), answer: z.string() });

const StoredText = z.extend(Text, { translations: z.optional(z.record(z.string(), z.nullable(Text))) });

const textIn = (content: string): StoredText => StoredText.parse(JSON.parse(content));

const publishedOf = ({ question, answer }: FaqText) => ({ question, answer });

const draftOf = (faq: StoredFaq): StoredText => (faq.draft === null ? publishedOf(faq) : textIn(faq.draft));

/** Returns the translations that are not null. Null means that a draft deletes the translation. */
const keptOf = (texts: TranslationTexts<FaqText>): Record<string, FaqText> =>
  Object.fromEntries(Object.entries(texts).flatMap(([language, text]) => (text ? [[language, text]] : [])));

/**
 * Returns the published content that a draft replaces: the text, and the translations into the languages of
 * `changed`. (rule C30)
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
 * Returns all translations of an entry after a change. Throws `bad_request` if they are too many or too long.
 * (rule C34)
 */
function translatedAfter(
  { question, answer, translations }: FaqText & { readonly translations: Translations<FaqText> },
  given: TranslationTexts<FaqText> | undefined,
  at: string,
): Translations<FaqText> {
  const merged = mergedTranslations(translations, given, { base: baseOf({ question, answer }), at });
  refuseTooMany(merged);
  return merged;
}

/**
 * Runs `change`. Throws `wrong_state` if the FAQ is too large after the change. The caller must lock the list
 * first. (rule C38)
 */
async function withinLimits<Result>(
  tx: Transaction,
  appId: string,
  change: () => Promise<Result>,
): Promise<Result> {
  const before = await rows.size(tx, appId);
  const result = await change();
  const fault = faultOfSize(before, await rows.size(tx, appId));
  if (fault !== undefined) throw new ApiError("wrong_state", { message: fault });
  return result;
}

function refuseTooMany(translations: object): void {
  const fault = faultOfTranslations(translations);
  if (fault !== undefined) throw badRequest("translations", fault);
}

/** Returns the value of the column `translations`; null if there are no translations. */
const storedTranslations = (translations: Translations<FaqText>): string | null =>
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

/** Returns the draft as the API returns it to members; null if there is none. */
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

/** Stores a draft. If the entry is not published, the draft also replaces the entry's own text. */
async function setDraft(
  tx: Transaction,
  { appId, id }: Key,
  {
    faq,
    content: { translations = {}, ...text },
    at,
    by,
  }: { readonly faq: StoredFaq; readonly content: StoredText; readonly at: string; readonly by: string },
): Promise<void> {
  const before = faqTranslations(faq);
  const author = { draftAt: at, draftBy: by };
  if (faq.unpublished === 1) {
    const own = storedTranslations(translatedAfter({ ...text, translations: before }, translations, at));
    const shown = { ...text, translations: own, updatedAt: at, updatedBy: by, textAt: null };
    const draft = { ...author, draft: storedContent({ ...text }), draftBase: null };
    await withinLimits(tx, appId, () => rows.set(tx, id, { ...draft, ...shown }));
    return;
  }
  const changed = changedTexts(before, translations);
  translatedAfter({ ...text, translations: before }, changed, at);
  const hasChanged = Object.keys(changed).length > 0;
  const draft = storedContent({ ...text, ...(hasChanged && { translations: changed }) });
  const draftBase = storedContent(baseOfDraft(faq, changed));
  await withinLimits(tx, appId, () => rows.set(tx, id, { ...author, draft, draftBase }));
}

/**
 * Adds the published text of an entry to its history, if `after` has another text or another translation.
 * (rule C31)
 */
async function keepVersion(
  { newId }: Pick<Deps, "newId">,
  tx: Transaction,
  { appId, id }: Key,
  after: FaqText & { readonly translations: Translations<FaqText> },
): Promise<void> {
  const faq = await rows.findStored(tx, appId, id);
  if (!faq || faq.unpublished === 1) return;
  const translations = faqTranslations(faq);
  if (hasSameTexts({ ...faq, translations }, after)) return;
  const hasSome = Object.keys(translations).length > 0;
  const content = storedContent({
    ...publishedOf(faq),
    ...(hasSome && { translations: textsOf(translations) }),
  });
  const version = { id: newId(), appId, content, at: textTimeOf(faq), writtenBy: faq.updatedBy };
  await versions.keep(tx, { faqId: id }, version);
}

/** Withdraws an entry that has a draft, and keeps the draft. Without a draft, returns false. (rule C29) */
async function unpublish(tx: Transaction, { appId, id }: Key): Promise<boolean> {
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

/** The maximum number of entry ids in an event. */
const mostNamed = 100;

/** Makes cached answers with the app's FAQ invalid, and stores the event `faq.changed`. */
async function renewFaqs(
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

const StoredTranslation = z.object({
  ...{ question: z.string(), answer: z.string(), base: z.string(), at: z.string() },
  pushedHash: z.optional(z.string()),
});

const StoredTranslations = z.record(z.string(), StoredTranslation);

/** Parses the stored translations of a row. */
const faqTranslations = ({
  translations,
}: {
  readonly translations: string | null;
}): Translations<FaqText> =>
  translations === null ? {} : StoredTranslations.parse(JSON.parse(translations));

/** Returns the translations by language, in the form in which the API returns them to members. */
const translationsAnswer = (
  { question, answer }: FaqText,
  translations: Translations<FaqText>,
): ListedFaq["translations"] => {
  const current = baseOf({ question, answer });
  return Object.fromEntries(
    Object.entries(translations).map(([language, { base, at, pushedHash = null, ...text }]) => [
      language,
      { ...text, outdated: base !== current, updatedAt: at, pushedHash },
    ]),
  );
};

/** Returns an entry with its translations, in the form in which the API returns it to members. */
const listedFaq = (row: ListedFaqRow): ListedFaq => ({
  ...row,
  translations: translationsAnswer(row, faqTranslations(row)),
});

/** Returns the same as `listedFaq`. If an entry has no translations, the field `translations` is missing. */
function replacedFaq(row: ListedFaqRow) {
  const { translations, ...faq } = listedFaq(row);
  return Object.keys(translations).length === 0 ? faq : { ...faq, translations };
}

/** Returns an entry without translations, but with `pushedHash` and `pushedSortOrder`. */
const pushedFaq = ({ translations: _, ...faq }: ListedFaqRow) => faq;

/** Returns an entry as the API returns it to apps. (rule C21) */
const publishedFaq = ({ translations: _, pushedHash: __, pushedSortOrder: ___, ...faq }: ListedFaqRow) => faq;

/**
 * Returns an entry for apps. If there is a translation for the wanted language, the translation replaces the text.
 * (rule C35)
 */
function faqIn(row: ListedFaqRow, wanted: string) {
  const translations = faqTranslations(row);
  const language = languageFor(translations, wanted);
  const found = language === undefined ? undefined : translations[language];
  const text = found && { question: found.question, answer: found.answer };
  return { ...publishedFaq(row), ...text, language: language ?? null };
}
