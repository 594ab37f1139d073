import {
  type ChangelogChange,
  type consoleChangelog as consoleContract,
  itemTypes,
  type ReleaseContent,
} from "../../../src/contract/changelog.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { storedContent } from "../texts/drafts-rules.ts";
import { versions } from "../texts/drafts-store.ts";
import { changedTexts } from "../texts/languages-rules.ts";
import {
  baseOfDraft,
  baseOfRelease,
  contentIn,
  contentOf,
  isConflicting,
  keptOf,
  releaseTranslations,
  type StoredContent,
} from "./answer.ts";
import { isPublished } from "./publication.ts";
import { type OwnedChangelogRow, changelogEntries as rows } from "./store.ts";
import {
  answerOf,
  type EntryDeps,
  lockedEntry,
  ownedEntry,
  translatedAfter,
  updateEntry,
  wholeTexts,
} from "./api.ts";

/** The endpoints for the draft of a release note, its publication, and its earlier texts. (rules C30, C31) */
export function releaseDrafts(
  deps: Pick<Deps, "clock" | "database" | "newId">,
): Pick<Handlers<typeof consoleContract>, "saveDraft" | "removeDraft" | "publish" | "history" | "restore"> {
  const record = createAuditWriter(deps);
  return {
    saveDraft: ({ caller, address, params: { entryId: id }, body, save }) =>
      save(async (tx) => {
        const entry = await lockedEntry(tx, id, caller);
        if (entry.publishedAt === null) throw new ApiError("wrong_state", { message: isDraft });
        const text: StoredContent = entry.draft === null ? contentOf(entry) : contentIn(entry.draft);
        const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
        const translations = { ...text.translations, ...wholeTexts(body.translations) };
        await setDraft(deps, tx, entry, { content: { ...text, ...given, translations }, by: caller.userId });
        await record(tx, { caller, address }, { action: "changelog.draft", appId: entry.appId, target: id });
        return answerOf(tx, id, caller);
      }),

    removeDraft: ({ caller, address, params: { entryId: id }, save }) =>
      save(async (tx) => {
        const entry = await lockedEntry(tx, id, caller);
        if (entry.draft !== null) {
          await rows.update(tx, id, noDraft);
          const { appId } = entry;
          await record(tx, { caller, address }, { action: "changelog.discard", appId, target: id });
        }
        return answerOf(tx, id, caller);
      }),

    publish: ({ caller, address, params: { entryId: id }, save }) =>
      save(async (tx) => {
        const entry = await lockedEntry(tx, id, caller);
        await publishEntry(deps, tx, { entry, by: caller.userId });
        await record(
          tx,
          { caller, address },
          { action: "changelog.publish", appId: entry.appId, target: id },
        );
        return answerOf(tx, id, caller);
      }),

    async history({ caller, params: { entryId } }) {
      await ownedEntry(deps.database, entryId, caller);
      const found = await versions.list(deps.database, { entryId });
      return {
        items: found.map(({ content, ...version }) => {
          const { translations = {}, ...text } = contentIn(content);
          return { ...text, translations: keptOf(translations), ...version };
        }),
      };
    },

    restore: ({ caller, address, params: { entryId: id }, body, save }) =>
      save(async (tx) => {
        const entry = await lockedEntry(tx, id, caller);
        const { appId } = entry;
        const version = await versions.find(tx, { entryId: id }, body.version);
        if (!version) throw new ApiError("not_found");
        const { translations = {}, ...text } = contentIn(version.content);
        const content = { ...text, translations: keptOf(translations) };
        const by = caller.userId;
        if (entry.publishedAt === null)
          await updateEntry(deps, tx, { entry, change: { ...toChange(content), allowDuplicate: true }, by });
        else await setDraft(deps, tx, entry, { content, by });
        await record(tx, { caller, address }, { action: "changelog.draft", appId, target: id });
        return answerOf(tx, id, caller);
      }),
  };
}

const isDraft = "This release note is not published. Change the note itself.";

/** Stores the draft of a published entry, and the published text from which the draft was made. (rule C30) */
async function setDraft(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  entry: OwnedChangelogRow,
  { content: { translations, ...text }, by }: { readonly content: StoredContent; readonly by: string },
): Promise<void> {
  const changed = changedTexts(releaseTranslations(entry), translations);
  translatedAfter(entry, changed, { base: baseOfText(text), at: clock.now().toISOString() });
  const content = { ...text, ...(Object.keys(changed).length > 0 && { translations: changed }) };
  await rows.update(tx, entry.id, {
    ...{ draft: storedContent(content), draftBase: storedContent(baseOfDraft(entry, changed)) },
    ...{ draftAt: clock.now().toISOString(), draftBy: by },
  });
}

const baseOfText = ({ title, body, items }: ReleaseContent): string =>
  baseOfRelease({ title, body, items: JSON.stringify(items) });

/** Publishes an entry now. If it is already published, its date does not change. A date in the future is replaced. */
async function publishEntry(
  deps: EntryDeps,
  tx: Transaction,
  { entry, by }: { readonly entry: OwnedChangelogRow; readonly by: string },
): Promise<void> {
  if (isConflicting(entry)) throw new ApiError("draft_conflict");
  const text = entry.draft === null ? {} : toChange(contentIn(entry.draft));
  const isOut = isPublished(entry.publishedAt, deps.clock.now());
  if (isOut && entry.draft === null) return;
  await updateEntry(deps, tx, { entry, change: isOut ? text : { ...text, publish: true }, by });
  if (entry.draft !== null) await rows.update(tx, entry.id, noDraft);
}

const noDraft = { draft: null, draftBase: null, draftAt: null, draftBy: null } as const;

/** Returns the change that replaces the text of an entry with this text. Items of unknown types are left out. */
const toChange = ({ items, translations = {}, ...text }: StoredContent): ChangelogChange => ({
  ...text,
  items: knownItems(items),
  translations: Object.fromEntries(
    Object.entries(translations).map(([language, one]) => [
      language,
      one && { ...one, items: knownItems(one.items) },
    ]),
  ),
});

const knownItems = (items: ReleaseContent["items"]) =>
  items.flatMap(({ type, text }) => {
    const known = itemTypes.find((one) => one === type);
    return known ? [{ type: known, text }] : [];
  });
