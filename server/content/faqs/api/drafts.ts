import * as z from "zod/mini";
import { ApiError } from "../../../../src/contract/errors.ts";
import type { consoleFaqs as contract, DraftedFaq } from "../../../../src/contract/faqs.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { ownedApp } from "../../../access/apps/owned-app.ts";
import { createAuditWriter } from "../../../access/audit/record.ts";
import type { Viewer } from "../../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import type { Deps } from "../../../deps.ts";
import type { Handlers } from "../../../http/handler.ts";
import { isConflict, storedContent } from "../../drafts/rules.ts";
import { versions } from "../../drafts/store.ts";
import { faqs as rows, type StoredFaq } from "../store.ts";
import { renewFaqs } from "./renew.ts";

type DraftHandlers = Pick<
  Handlers<typeof contract>,
  "drafts" | "createDraft" | "read" | "saveDraft" | "removeDraft" | "publish" | "history" | "restore"
>;

/** The endpoints for texts of the FAQ that are not published. (rules C29, C30, C31) */
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
        const faq = { ...body, id: deps.newId(), appId, sortOrder: 0, draft: storedContent(body) };
        await rows.insert(tx, { ...faq, at: now(), by: caller.userId });
        await record(tx, { caller, address }, { action: "faq.draft", appId, target: faq.id });
        return answerOf(tx, faq);
      }),

    read: async ({ caller, params }) =>
      answerOf(deps.database, await ownedKey(deps.database, params.faqId, caller)),

    saveDraft: ({ caller, address, params, body, save }) =>
      save(async (tx) => {
        const { key, faq } = await lockedFaq(tx, params.faqId, caller);
        const { question = draftOf(faq).question, answer = draftOf(faq).answer } = body;
        await setDraft(tx, faq, { content: { question, answer }, at: now(), by: caller.userId });
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
        if (isConflict(faq, publishedOf(faq))) throw new ApiError("draft_conflict");
        const text = draftOf(faq);
        const isNew = faq.unpublished === 1;
        if (!isNew) await keepVersion(deps, tx, key, text);
        const last = isNew ? await rows.nextSortOrder(tx, key.appId) : faq.sortOrder;
        await rows.set(tx, faq.id, {
          ...{ ...text, ...noDraft, unpublished: 0, updatedAt: now(), updatedBy: caller.userId },
          sortOrder: Math.min(last, limits.sortOrder.max),
        });
        await renewFaqs(deps, tx, { appId: key.appId, entryIds: [key.id] });
        await record(tx, { caller, address }, { action: "faq.publish", appId: key.appId, target: key.id });
        return answerOf(tx, key);
      }),

    async history({ caller, params: { faqId } }) {
      await ownedKey(deps.database, faqId, caller);
      const found = await versions.list(deps.database, { faqId });
      return { items: found.map(({ id, content, at, by }) => ({ id, ...textIn(content), at, by })) };
    },

    restore: ({ caller, address, params, body, save }) =>
      save(async (tx) => {
        const { key, faq } = await lockedFaq(tx, params.faqId, caller);
        const version = await versions.find(tx, { faqId: faq.id }, body.version);
        if (!version) throw new ApiError("not_found");
        await setDraft(tx, faq, { content: textIn(version.content), at: now(), by: caller.userId });
        await record(tx, { caller, address }, { action: "faq.draft", appId: key.appId, target: key.id });
        return answerOf(tx, key);
      }),
  };
}

const neverPublished = "This entry was never published. Delete the entry to discard its draft.";

const noDraft = { draft: null, draftBase: null, draftAt: null, draftBy: null } as const;

/** The text of an entry. */
interface FaqText {
  readonly question: string;
  readonly answer: string;
}

const StoredText = z.object({ question: z.string(), answer: z.string() });

const textIn = (content: string): FaqText => StoredText.parse(JSON.parse(content));

const publishedOf = ({ question, answer }: FaqText) => ({ question, answer });

const draftOf = (faq: StoredFaq): FaqText => (faq.draft === null ? publishedOf(faq) : textIn(faq.draft));

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

const draftedFaq = (faq: StoredFaq): DraftedFaq => ({
  id: faq.id,
  published: faq.unpublished === 0,
  question: faq.question,
  answer: faq.answer,
  sortOrder: faq.unpublished === 0 ? faq.sortOrder : null,
  draft:
    faq.draft === null
      ? null
      : {
          ...textIn(faq.draft),
          updatedAt: faq.draftAt ?? faq.updatedAt,
          conflict: isConflict(faq, publishedOf(faq)),
        },
  createdAt: faq.createdAt,
  updatedAt: faq.updatedAt,
});

/** Stores a draft. An entry that was never published also shows the text of its draft as its own. */
async function setDraft(
  tx: Transaction,
  faq: StoredFaq,
  { content, at, by }: { readonly content: FaqText; readonly at: string; readonly by: string },
): Promise<void> {
  const isNew = faq.unpublished === 1;
  await rows.set(tx, faq.id, {
    ...{ draft: storedContent({ ...content }), draftAt: at, draftBy: by },
    draftBase: isNew ? null : storedContent(publishedOf(faq)),
    ...(isNew ? { ...content, updatedAt: at, updatedBy: by } : {}),
  });
}

/** Keeps the published text of an entry, if a change replaces it. (rule C31) */
export async function keepVersion(
  { newId }: Pick<Deps, "newId">,
  tx: Transaction,
  { appId, id }: Key,
  change: { readonly question?: string | undefined; readonly answer?: string | undefined },
): Promise<void> {
  const faq = await rows.findStored(tx, appId, id);
  if (!faq || faq.unpublished === 1) return;
  const { question = faq.question, answer = faq.answer } = change;
  if (question === faq.question && answer === faq.answer) return;
  const content = storedContent(publishedOf(faq));
  const version = { id: newId(), appId, content, at: faq.updatedAt, writtenBy: faq.updatedBy };
  await versions.keep(tx, { faqId: id }, version);
}

/**
 * Makes an entry a draft that was never published, if it has a draft: a replacement of the list deletes no text that is
 * not published. Returns false for an entry without a draft. (rule C29)
 */
export async function unpublish(tx: Transaction, { appId, id }: Key): Promise<boolean> {
  const faq = await rows.findStored(tx, appId, id);
  if (!faq || faq.draft === null) return false;
  await rows.set(tx, id, {
    ...{ ...draftOf(faq), unpublished: 1, draftBase: null, pushedHash: null, pushedSortOrder: null },
  });
  return true;
}
