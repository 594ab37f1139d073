import type { ChangelogEntry, changelog as contract } from "../../../src/contract/changelog.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { withoutFeedbackLines } from "../../../src/contract/feedback-lines.ts";
import { lookedForLanguages } from "../../../src/contract/language-tags.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Reader } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { prepareAnswer } from "../../http/answers.ts";
import { type Handlers, withTraits } from "../../http/handler.ts";
import { languageFor } from "../texts/languages-rules.ts";
import { releaseTranslations } from "./answer.ts";
import { unseenSince } from "./since.ts";
import { versionOrder } from "./rules.ts";
import { type PublishedRow, changelog as rows } from "./store.ts";

export const changelog = ({
  database,
  clock,
  answers,
}: Pick<Deps, "database" | "clock" | "answers">): Handlers<typeof contract> => ({
  list: withTraits({ ready: true }, async ({ caller, query }) => {
    // An owner may have turned off the changelog of the app. (rule C7)
    if (!caller.changelogEnabled) throw new ApiError("changelog_disabled");
    const now = clock.now();
    const { limit = limits.changelogPage.default } = query;
    const since = readableVersion(query.since);
    const lang = query.lang === undefined ? null : (lookedForLanguages(query.lang)[0] ?? "");
    const name = JSON.stringify(["changelog", caller.appId, limit, since ?? null, lang]);
    return answers.recall({ name, version: caller.changelogVersion, now }, async () => {
      const found = await listEntries(database, caller.appId, now.toISOString(), since, limit);
      const entries = found.map((row) => (lang === null ? publishedEntry(row) : entryIn(row, lang)));
      const next = await rows.nextPublication(database, caller.appId, now.toISOString());
      const until = next?.at ? Date.parse(next.at) : undefined;
      return { answer: prepareAnswer(JSON.stringify({ entries })), until };
    });
  }),
});

async function listEntries(
  reader: Reader,
  appId: string,
  now: string,
  since: string | undefined,
  limit: number,
): Promise<PublishedRow[]> {
  if (since === undefined) return rows.listPublished(reader, appId, { now, limit });
  const published = await rows.listPublishedVersions(reader, appId, now);
  const versioned = published.map((row) => ({ ...row, versions: JSON.parse(row.versions) }));
  const ids = unseenSince(versioned, since, versionOrder)
    .slice(0, limit)
    .map(({ id }) => id);
  return rows.listByIds(reader, appId, ids);
}

/** Returns a release note in a language, as the API returns it to apps. (rule C35) */
function entryIn(row: PublishedRow, wanted: string) {
  const translations = releaseTranslations(row);
  const language = languageFor(translations, wanted);
  const found = language === undefined ? undefined : translations[language];
  const entry = publishedEntry(row);
  if (!found) return { ...entry, language: null };
  const text = {
    title: found.title,
    body: withoutFeedbackLines(found.body),
    items: publishedItems(found.items),
  };
  return { ...entry, ...text, language };
}

/** Returns the version if an entry can have it. Otherwise returns undefined, and the app gets all entries. */
function readableVersion(since = ""): string | undefined {
  const text = since.trim();
  return text === "" || text.length > limits.version ? undefined : text;
}

/** Returns the answer for apps: a release note without the lines that only name threads. (rule C17) */
const publishedEntry = (row: PublishedRow): ChangelogEntry => ({
  id: row.id,
  title: row.title,
  version: row.version,
  versions: JSON.parse(row.versions),
  releaseType: row.releaseType,
  bodyFormat: row.bodyFormat,
  body: withoutFeedbackLines(row.body),
  items: publishedItems(JSON.parse(row.items)),
  publishedAt: row.publishedAt,
});

const publishedItems = (items: ChangelogEntry["items"]): ChangelogEntry["items"] =>
  items
    .map(({ type, text }) => ({ type, text: withoutFeedbackLines(text) }))
    .filter(({ text }) => text !== "");
