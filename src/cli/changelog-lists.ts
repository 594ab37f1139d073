import type { ChangelogEntry, EditedChangelogEntry } from "../contract/changelog.ts";
import { limits } from "../contract/limits.ts";
import { appOf, goesThroughConsole, isId } from "./app-of.ts";
import { CliError, usageError } from "./cli-error.ts";
import type { Invocation } from "./context.ts";
import { details } from "./details.ts";
import { printList, printOne } from "./output.ts";

interface ListFlags {
  readonly since?: string;
  readonly limit?: number;
  readonly drafts?: boolean;
}

type Release = ChangelogEntry | EditedChangelogEntry;

/** Shows the release notes as apps read them; with a maintainer token, or `--drafts`, as their maintainer does. */
export async function listReleases(invocation: Invocation, flags: ListFlags): Promise<undefined> {
  const throughConsole = flags.drafts || (await goesThroughConsole(invocation));
  if (throughConsole && flags.since)
    throw usageError("--since works with an app key only, and not with --drafts.");
  const { items, nextCursor } = await (throughConsole
    ? written(invocation, flags)
    : published(invocation, flags));
  const columns = [
    { heading: "id", of: ({ id }: Release) => id },
    { heading: "version", of: ({ version }: Release) => version },
    { heading: "type", of: ({ releaseType }: Release) => releaseType },
    { heading: "published", of: ({ publishedAt }: Release) => publishedAt ?? "draft" },
    { heading: "title", of: ({ title }: Release) => title },
  ];
  printList(invocation, items, columns, { nextCursor });
}

/** Shows one release note, found by its id or its version. */
export async function viewRelease(invocation: Invocation, _: object, wanted: string): Promise<undefined> {
  const throughConsole = await goesThroughConsole(invocation);
  const entry = await (throughConsole ? findWritten(invocation, wanted) : findPublished(invocation, wanted));
  if (!entry) {
    throw new CliError(
      "notFound",
      "not_found",
      `There is no release note ${wanted}.`,
      nextFor(throughConsole),
    );
  }
  printOne(invocation, entry, () => releaseDetails(entry));
}

/** A release note as lines of text. */
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
  });

async function published(invocation: Invocation, { since, limit }: ListFlags) {
  const { entries } = await invocation.client().changelog.list({ query: { since, limit: asText(limit) } });
  return { items: entries, nextCursor: null };
}

async function written(invocation: Invocation, { limit }: ListFlags) {
  const params = { appId: await appOf(invocation) };
  return invocation.client().consoleChangelog.list({ params, query: { limit: asText(limit) } });
}

async function findPublished(invocation: Invocation, wanted: string): Promise<Release | undefined> {
  const { items } = await published(invocation, { limit: limits.changelogPage.max });
  return items.find((entry) => isMeant(entry, wanted));
}

async function findWritten(invocation: Invocation, wanted: string): Promise<Release | undefined> {
  if (isId(wanted)) return invocation.client().consoleChangelog.read({ params: { entryId: wanted } });
  const { items } = await written(invocation, { limit: limits.listPage.max });
  return items.find((entry) => isMeant(entry, wanted));
}

const isMeant = ({ id, version }: Release, wanted: string): boolean =>
  id === wanted.toLowerCase() || version === wanted;

const asText = (number: number | undefined): string | undefined => number?.toString();

const nextFor = (throughConsole: boolean): string =>
  throughConsole
    ? "`innkeep changelog list --drafts` shows the newest."
    : `An app key shows the newest ${limits.changelogPage.max} that are published; drafts need a maintainer token.`;
