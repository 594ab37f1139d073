import type { ReleaseDraft } from "../../contract/changelog.ts";
import { usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { note, printOne } from "../core/output.ts";
import { idOfEarlierText, printEarlierTexts } from "../core/content.ts";
import { idOfRelease, releaseDetails } from "./find.ts";

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

/** Discards the draft of a release note. */
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

/** Restores an earlier text of a release note. */
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
