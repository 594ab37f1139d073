import type { ChangelogEntry, EditedChangelogEntry } from "../../contract/changelog.ts";
import { limits } from "../../contract/limits.ts";
import { isSameVersion } from "../../contract/version.ts";
import { appIdOf, isId } from "../core/app-id.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { isStart } from "../core/ids.ts";
import { allPages } from "../core/pages.ts";

export type Release = ChangelogEntry | EditedChangelogEntry;

/** The release note with that id or version, as its maintainer sees it. Throws if there is none, or several. */
export async function findWritten(invocation: Invocation, wanted: string): Promise<EditedChangelogEntry> {
  if (isId(wanted)) return invocation.client().consoleChangelog.read({ params: { entryId: wanted } });
  return onlyOne(await allWritten(invocation), wanted, "`innkeep changelog list --all` shows them all.");
}

/** The id of the release note. A whole id is used without asking the server. */
export const idOfRelease = async (invocation: Invocation, wanted: string): Promise<string> =>
  isId(wanted) ? wanted : (await findWritten(invocation, wanted)).id;

/** The published release note with that id or version, among those that an app key sees. */
export async function findPublished(invocation: Invocation, wanted: string): Promise<Release> {
  const limit = limits.changelogPage.max;
  const { entries } = await invocation.client().changelog.list({ query: { limit: String(limit) } });
  return onlyOne(
    entries,
    wanted,
    `An app key shows the newest ${limit} that are published; drafts need a maintainer token.`,
  );
}

/** All release notes of the app, page after page. */
export async function allWritten(invocation: Invocation): Promise<readonly EditedChangelogEntry[]> {
  const { consoleChangelog } = invocation.client();
  const params = { appId: await appIdOf(invocation) };
  const limit = String(limits.listPage.max);
  const entries: EditedChangelogEntry[] = [];
  for await (const page of allPages((cursor) => consoleChangelog.list({ params, query: { limit, cursor } })))
    entries.push(...page.items);
  return entries;
}

function onlyOne<Entry extends Release>(entries: readonly Entry[], wanted: string, next: string): Entry {
  const found = entriesOf(entries, wanted);
  const [entry, ...others] = found;
  if (!entry)
    throw new CliError({
      exit: "notFound",
      code: "not_found",
      message: `There is no release note ${wanted}.`,
      next,
    });
  if (others.length === 0) return entry;
  const choice = found.map(({ id, title }) => `  ${id}  ${title}`).join("\n");
  throw usageError(`${found.length} release notes are meant by ${wanted}.`, `Name one by its id:\n${choice}`);
}

/** The release notes with that id or version; else those whose id has that start. */
function entriesOf<Entry extends Release>(entries: readonly Entry[], wanted: string): readonly Entry[] {
  const start = wanted.toLowerCase();
  if (isId(wanted)) return entries.filter(({ id }) => id === start);
  const ofVersion = entries.filter(({ version }) => isSameVersion(String(version), wanted));
  if (ofVersion.length > 0 || !isStart(start)) return ofVersion;
  return entries.filter(({ id }) => id.startsWith(start));
}
