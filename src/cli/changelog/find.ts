import type { ChangelogEntry, EditedChangelogEntry, ReleaseTranslation } from "../../contract/changelog.ts";
import { isSameVersion, lookedForLanguages } from "../../contract/content-text.ts";
import { limits } from "../../contract/limits.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import { allPages } from "../core/connection.ts";
import type { Invocation } from "../core/context.ts";
import { appIdOf, goesThroughConsole, hasMaintainerToken, isId, isStart } from "../core/ids.ts";
import { details, howToGetMore, note, printList, printOne, refusePageOfAll } from "../core/output.ts";

interface ListFlags {
  readonly since?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly all?: boolean;
  readonly drafts?: boolean;
  readonly search?: string;
  readonly lang?: string;
}

interface Page {
  readonly items: readonly Release[];
  readonly nextCursor: string | null;
  /** A text that says why the list is not complete, and how to see the missing notes. */
  readonly more?: string;
}

/**
 * Lists release notes. With an app key, lists only published notes. With a maintainer token or `--drafts`, also lists
 * drafts.
 */
export async function listReleases(invocation: Invocation, flags: ListFlags): Promise<undefined> {
  refusePageOfAll(flags);
  const wantsMore = (flags.all || flags.cursor !== undefined) && (await hasMaintainerToken(invocation));
  const throughConsole =
    flags.drafts || flags.search !== undefined || wantsMore || (await goesThroughConsole(invocation));
  if (throughConsole && flags.since)
    throw usageError("--since works with an app key only, and not with --drafts.");
  if (!throughConsole && flags.cursor)
    throw usageError("--cursor needs a maintainer token, because an app key can read only one page.");
  const page = await (throughConsole ? written(invocation, flags) : published(invocation, flags));
  const { nextCursor, more } = page;
  const { lang } = flags;
  const items = lang === undefined ? page.items : page.items.map((entry) => inLanguage(entry, lang));
  const columns = [
    { heading: "id", of: ({ id }: Release) => id, isId: true },
    { heading: "version", of: ({ version }: Release) => version },
    { heading: "type", of: ({ releaseType }: Release) => releaseType },
    { heading: "published", of: ({ publishedAt }: Release) => publishedAt ?? "draft" },
    { heading: "title", of: ({ title }: Release) => title },
  ];
  printList(invocation, {
    items,
    columns,
    extra: { nextCursor, ...(more && !nextCursor && { hasMore: true }) },
  });
  if (more) note(invocation, more);
}

/** Shows one release note, found by its id or its version. */
export async function viewRelease(invocation: Invocation, _: object, wanted: string): Promise<undefined> {
  const entry = await findRelease(invocation, wanted);
  printOne(invocation, entry, () => releaseDetails(entry));
}

/** Finds a release note. An app key reads only published notes, so the maintainer token is tried next. */
async function findRelease(invocation: Invocation, wanted: string): Promise<Release> {
  if (await goesThroughConsole(invocation)) return findWritten(invocation, wanted);
  try {
    return await findPublished(invocation, wanted);
  } catch (error) {
    const isAbsent = error instanceof CliError && error.exit === "notFound";
    if (isAbsent && (await hasMaintainerToken(invocation))) return findWritten(invocation, wanted);
    throw error;
  }
}

/** Returns a release note as lines of text. */
export const releaseDetails = (entry: Release): string =>
  details({
    id: entry.id,
    title: entry.title,
    version: entry.version,
    platforms: entry.versions?.map(({ platform, version }) => `${platform} ${version}`).join(", "),
    type: entry.releaseType,
    published: entry.publishedAt ?? "draft",
    body: entry.body,
    items: entry.items?.map(({ type, text }) => `${type}: ${text}`).join("\n"),
    feedback: "feedbackIds" in entry ? entry.feedbackIds.join("\n") : undefined,
    languages: "translations" in entry ? languagesIn(entry.translations) : undefined,
  });

const { default: usual, max: most } = limits.changelogPage;

/**
 * Reads the published notes. Requests one note more than wanted, because the answer does not say whether there
 * are more.
 */
async function published(invocation: Invocation, { since, limit, all, lang }: ListFlags): Promise<Page> {
  const wanted = all ? most : (limit ?? usual);
  const asked = wanted > 0 && wanted < most ? wanted + 1 : wanted;
  const { entries } = await invocation
    .client()
    .changelog.list({ query: { since, limit: String(asked), lang } });
  return { items: entries.slice(0, Math.max(0, wanted)), nextCursor: null, more: moreThan(entries, wanted) };
}

function moreThan(entries: readonly unknown[], wanted: number): string | undefined {
  if (entries.length > wanted)
    return `There are more. ${howToGetMore(`--limit with a number up to ${most}`, true)}`;
  if (entries.length < most) return undefined;
  return `There may be more. An app key shows only the newest ${most}. With a maintainer token, --all shows all.`;
}

async function written(invocation: Invocation, { limit, cursor, all, search }: ListFlags): Promise<Page> {
  if (all) return { items: await allWritten(invocation, search), nextCursor: null };
  const params = { appId: await appIdOf(invocation) };
  const query = { limit: limit?.toString(), cursor, q: search };
  const { items, nextCursor } = await invocation.client().consoleChangelog.list({ params, query });
  return {
    items,
    nextCursor,
    more: nextCursor ? `There are more. ${howToGetMore(`--cursor ${nextCursor}`, true)}` : undefined,
  };
}

export type Release = ChangelogEntry | EditedChangelogEntry;

/** Finds a release note by its id or version. Throws an error unless exactly one note matches. */
export async function findWritten(invocation: Invocation, wanted: string): Promise<EditedChangelogEntry> {
  if (isId(wanted)) return invocation.client().consoleChangelog.read({ params: { entryId: wanted } });
  return onlyOne(await allWritten(invocation), wanted, "`innkeep changelog list --all` lists all.");
}

/** Returns the id of a release note. Sends no request if the given text is already a complete id. */
export const idOfRelease = async (invocation: Invocation, wanted: string): Promise<string> =>
  isId(wanted) ? wanted : (await findWritten(invocation, wanted)).id;

/** Finds a published release note by its id or version, with the app key. */
async function findPublished(invocation: Invocation, wanted: string): Promise<Release> {
  const limit = limits.changelogPage.max;
  const { entries } = await invocation.client().changelog.list({ query: { limit: String(limit) } });
  return onlyOne(
    entries,
    wanted,
    `An app key finds only the newest ${limit} published notes. Drafts need a maintainer token.`,
  );
}

/** Reads all release notes of the app, one page after another. */
export async function allWritten(
  invocation: Invocation,
  search?: string,
): Promise<readonly EditedChangelogEntry[]> {
  const { consoleChangelog } = invocation.client();
  const params = { appId: await appIdOf(invocation) };
  const limit = String(limits.listPage.max);
  const entries: EditedChangelogEntry[] = [];
  for await (const page of allPages((cursor) =>
    consoleChangelog.list({ params, query: { limit, cursor, q: search } }),
  ))
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
  throw usageError(`${found.length} release notes match ${wanted}.`, `Use the id of one of them:\n${choice}`);
}

function entriesOf<Entry extends Release>(entries: readonly Entry[], wanted: string): readonly Entry[] {
  const start = wanted.toLowerCase();
  if (isId(wanted)) return entries.filter(({ id }) => id === start);
  const ofVersion = entries.filter(({ version }) => isSameVersion(String(version), wanted));
  if (ofVersion.length > 0 || !isStart(start)) return ofVersion;
  return entries.filter(({ id }) => id.startsWith(start));
}

/**
 * Returns the note, translated to `wanted` if possible. With an app key, the server has already translated the
 * note.
 */
export function inLanguage<Entry extends ReleaseTranslation>(entry: Entry, wanted: string): Entry {
  if (!isWritten(entry)) return entry;
  const tag = lookedForLanguages(wanted).find((one) => Object.hasOwn(entry.translations, one));
  const text = tag === undefined ? undefined : entry.translations[tag];
  return text ? { ...entry, title: text.title, body: text.body, items: text.items } : entry;
}

const isWritten = <Entry>(entry: Entry): entry is Entry & Pick<EditedChangelogEntry, "translations"> =>
  typeof entry === "object" && entry !== null && "translations" in entry;

/** Returns the languages of the translations as text, such as `de (outdated)`. Undefined if there are none. */
const languagesIn = (translations: EditedChangelogEntry["translations"]): string | undefined =>
  Object.entries(translations)
    .map(([language, { outdated }]) => (outdated ? `${language} (outdated)` : language))
    .join(", ") || undefined;
