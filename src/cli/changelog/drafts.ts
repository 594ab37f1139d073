import type * as z from "zod/mini";
import type { ChangelogChange, ReleaseDraft, ReleaseTranslation } from "../../contract/changelog.ts";
import { choices } from "../core/choices.ts";
import { usageError } from "../core/cli-error.ts";
import { idOfEarlierText, printEarlierTexts } from "../core/content.ts";
import type { Invocation } from "../core/context.ts";
import { note, printList, printOne } from "../core/output.ts";
import { type ReleaseEntry, readWritten, showPlan, writtenOf } from "./entry.ts";
import { findWritten, idOfRelease, releaseDetails } from "./find.ts";

/** The flags that describe the change of one translation. */
interface Translating {
  readonly language: string;
  readonly draft: boolean;
  readonly deletes: boolean;
  readonly change: z.input<typeof ChangelogChange>;
}

/**
 * Sets or deletes the translation of a release note into a language. With `draft`, saves the change as a draft.
 */
export async function translateRelease(
  invocation: Invocation,
  wanted: string,
  { language, draft, deletes, change }: Translating,
): Promise<undefined> {
  const { title, body, items, bodyFormat: _, ...others } = change;
  if (Object.values(others).some((value) => value !== undefined))
    throw usageError("A translation has only a title, a text and items. Do not use other flags with --lang.");
  const entry = await findWritten(invocation, wanted);
  const stored = entry.translations[language];
  const text = {
    title: title ?? stored?.title,
    body: body ?? stored?.body,
    items: items ?? knownItems(stored),
  };
  const given = { translations: { [language]: deletes ? null : withTitle(text, language) } };
  if (draft) return saveDraft(invocation, entry.id, given);
  const params = { entryId: entry.id };
  const after = await invocation.client().consoleChangelog.update({ params, body: given });
  const what = `the translation of release note ${after.id} into ${language}`;
  note(invocation, `${deletes ? "Deleted" : "Changed"} ${what}.`);
  printOne(invocation, after, () => releaseDetails(after));
}

type Text = NonNullable<NonNullable<z.input<typeof ChangelogChange>["translations"]>[string]>;

function withTitle(text: Partial<Text>, language: string): Text {
  const { title, ...rest } = text;
  if (title !== undefined) return { title, ...rest };
  throw usageError(`There is no translation into ${language} yet.`, "A new translation needs --title.");
}

/** Returns the items of a stored translation. Omits items whose type is not allowed in a request. */
function knownItems(stored: ReleaseTranslation | undefined): Text["items"] {
  return stored?.items.flatMap(({ type, text }) => {
    const known = choices.itemTypes.find((one) => one === type);
    return known ? [{ type: known, text }] : [];
  });
}

/** Stores notes as translations of the release notes with the same versions, and prints the results. (rule C36) */
export async function importTranslations(
  invocation: Invocation,
  language: string,
  entries: readonly ReleaseEntry[],
): Promise<undefined> {
  const wanted = entries.map(({ version, body: { title = version, body, items, overwrite } }) => ({
    version,
    body: { translations: { [language]: { title, body, items } }, ...(overwrite && { overwrite }) },
  }));
  if (invocation.flags.dryRun) return showPlan(invocation, wanted);
  const written = await readWritten(invocation);
  const unknown = wanted.filter(({ version }) => writtenOf(written, version) === undefined);
  if (unknown.length > 0)
    note(
      invocation,
      `The server has no release note of ${unknown.map(({ version }) => version).join(", ")}.`,
    );
  const results: { readonly version: string; readonly result: string }[] = [];
  for (const { version, body } of wanted) {
    const known = writtenOf(written, version);
    if (!known) continue;
    const params = { appId: written.appId, version };
    const { changedFields, keptFields } = await invocation.client().consoleChangelog.put({ params, body });
    if (keptFields.length > 0)
      note(invocation, `Kept the translations that a person wrote in ${version}. --overwrite replaces them.`);
    results.push({ version, result: changedFields.length > 0 ? "changed" : "same" });
  }
  printList(invocation, {
    items: results,
    columns: [
      { heading: "version", of: ({ version }) => version },
      { heading: "result", of: ({ result }) => result },
    ],
  });
  return undefined;
}

/** Saves a draft of a published release note. */
export async function saveDraft(
  invocation: Invocation,
  wanted: string,
  body: Partial<ReleaseDraft>,
): Promise<undefined> {
  if (Object.values(body).every((value) => value === undefined))
    throw usageError(
      "There is nothing to change.",
      "`innkeep changelog edit --help` lists what can be changed.",
    );
  const params = { entryId: await idOfRelease(invocation, wanted) };
  const entry = await invocation.client().consoleChangelog.saveDraft({ params, body });
  note(invocation, `Saved a draft of release note ${entry.id}.`);
  printOne(invocation, entry, () => releaseDetails(entry));
}

export async function discardDraft(invocation: Invocation, _: object, wanted: string): Promise<undefined> {
  const params = { entryId: await idOfRelease(invocation, wanted) };
  const entry = await invocation.client().consoleChangelog.removeDraft({ params });
  note(invocation, `Release note ${entry.id} has no draft any more.`);
  printOne(invocation, entry, () => releaseDetails(entry));
}

/** Lists the earlier texts of a release note. */
export async function listVersions(invocation: Invocation, _: object, wanted: string): Promise<undefined> {
  const params = { entryId: await idOfRelease(invocation, wanted) };
  const { items } = await invocation.client().consoleChangelog.history({ params });
  printEarlierTexts(invocation, items, [
    { heading: "title", of: ({ title }) => title },
    { heading: "body", of: ({ body }) => body },
  ]);
}

/** Restores an earlier text of a release note. For a published note, the text becomes its draft. */
export async function restoreVersion(
  invocation: Invocation,
  { to }: { readonly to: string },
  wanted: string,
): Promise<undefined> {
  const params = { entryId: await idOfRelease(invocation, wanted) };
  const version = await idOfEarlierText(to, {
    command: `innkeep changelog history ${wanted}`,
    list: () => invocation.client().consoleChangelog.history({ params }),
    name: ({ title }) => title,
  });
  const entry = await invocation.client().consoleChangelog.restore({ params, body: { version } });
  const then = entry.draft ? " as its draft. `changelog publish` publishes the draft." : ".";
  note(invocation, `Release note ${entry.id} has the earlier text${then}`);
  printOne(invocation, entry, () => releaseDetails(entry));
}
