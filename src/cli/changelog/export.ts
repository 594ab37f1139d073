import { basename, join, resolve } from "node:path";
import { isSameVersion, withoutFeedbackLines } from "../../contract/content-text.ts";
import { limits } from "../../contract/limits.ts";
import { systemReason } from "../../words/phrases.ts";
import { oneLine } from "../../words/visible.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import type { GlobalFlags, Invocation } from "../core/context.ts";
import { assertInside, writeInOneStep } from "../core/files.ts";
import { goesThroughConsole, hasMaintainerToken } from "../core/ids.ts";
import { note, printList } from "../core/output.ts";
import { allWritten, inLanguage, type Release } from "./find.ts";
import { type Piece, piecesOf } from "./notes/pieces.lazy.ts";

export interface ExportFlags extends GlobalFlags {
  readonly platform: Platform;
  readonly out: string;
  readonly version?: readonly string[];
  readonly drafts?: boolean;
  readonly lang?: string;
}

/** A file for a store. `omitted` counts the parts of the release note that did not fit into the file. */
interface StoreFile {
  readonly file: string;
  readonly version: string;
  readonly characters: number;
  readonly omitted: number;
  readonly text: string;
}

/**
 * Writes release notes into files for fastlane. If one note cannot be written, writes nothing and throws a usage error.
 * (rule L34)
 */
export async function exportReleases(invocation: Invocation, flags: ExportFlags): Promise<undefined> {
  await assertInside(invocation.context.cwd, flags.out);
  const files = await (flags.platform === "ios" ? fileOfIos : filesOfAndroid)(invocation, flags);
  if (!flags.dryRun) await write(invocation, files, mostCharacters[flags.platform]);
  show(invocation, files);
  return undefined;
}

async function filesOfAndroid(invocation: Invocation, flags: ExportFlags): Promise<readonly StoreFile[]> {
  const { version: wanted = [], out } = flags;
  await assertInside(invocation.context.cwd, join(out, "changelogs"));
  const releases = await chosen(invocation, flags);
  const built = releases.map((release) => ({ release, builds: buildsOf(release) }));
  const without = built.filter(({ builds }) => builds.length === 0).map(({ release }) => release.version);
  const withBuild = built.flatMap(({ release, builds }) => builds.map((build) => ({ release, build })));
  const issues = [
    ...(wanted.length > 0 ? without : []).map((path) => ({
      path,
      message: "has no build number for Android",
    })),
    ...faultsOf(withBuild),
  ];
  if (issues.length > 0) throw usageError("No file was written:", undefined, { issues });
  if (withBuild.length === 0) throw nothingToExport();
  if (without.length > 0)
    note(invocation, `These versions have no build number for Android: ${without.join(", ")}.`);
  return withBuild.flatMap(
    ({ release, build }) => fileOf(release, "android", join(out, "changelogs", `${build}.txt`)) ?? [],
  );
}

/** Returns the file for iOS. fastlane reads one text per language, so only one version is exported. */
async function fileOfIos(invocation: Invocation, flags: ExportFlags): Promise<readonly StoreFile[]> {
  const { version: wanted = [], out } = flags;
  if (wanted.length > 1) throw usageError("For iOS there is only one text. Use --version only once.");
  const releases = await chosen(invocation, flags);
  const release = wanted.length > 0 ? releases[0] : newestOf(releases.filter((one) => isOn("ios", one)));
  if (!release) throw nothingForIos();
  const file = fileOf(release, "ios", join(out, "release_notes.txt"));
  if (!file)
    throw usageError(
      `${release.version} begins with a change of more than ${mostCharacters.ios} characters. Shorten it.`,
    );
  const language = basename(resolve(invocation.context.cwd, out));
  if (!/^(?:default|[a-z]{2}(?:-[a-z]{2,4})?)$/i.test(language))
    note(
      invocation,
      `fastlane reads only folders with the name of a language, such as en-US, and not ${oneLine(language)}.`,
    );
  return [file];
}

/** Returns the note with the latest date of publication. A draft counts as newer than every published note. */
const newestOf = (releases: readonly Release[]): Release | undefined =>
  releases.reduce<Release | undefined>(
    (newest, one) => (newest && instantOf(newest) >= instantOf(one) ? newest : one),
    undefined,
  );

const instantOf = ({ publishedAt }: Release): number =>
  publishedAt === null ? Number.POSITIVE_INFINITY : Date.parse(publishedAt);

const nothingForIos = (): CliError =>
  new CliError({
    exit: "notFound",
    code: "no_release_notes",
    message: "There is no published release note for iOS.",
    next: "`innkeep changelog list --all` lists all.",
  });

/**
 * Returns the notes of `--version`, or all published notes. `--drafts` adds drafts. Throws if a version has no note.
 */
async function chosen(
  invocation: Invocation,
  { version, drafts, lang }: ExportFlags,
): Promise<readonly Release[]> {
  const readsDrafts = (drafts ?? false) || version !== undefined;
  const all = await readable(invocation, readsDrafts && (await hasMaintainerToken(invocation)), lang);
  if (version === undefined) {
    const now = invocation.context.clock.now().toISOString();
    return drafts ? all : all.filter(({ publishedAt }) => publishedAt !== null && publishedAt <= now);
  }
  return version.flatMap((wanted) => {
    const found = all.filter((release) => isSameVersion(release.version, wanted));
    if (found.length > 0) return found;
    throw new CliError({
      exit: "notFound",
      code: "not_found",
      message: `There is no release note ${wanted}.`,
      next: "`innkeep changelog list --all` lists all. Drafts need a maintainer token.",
    });
  });
}

async function readable(
  invocation: Invocation,
  needsAll: boolean,
  lang: string | undefined,
): Promise<readonly Release[]> {
  if (needsAll || (await goesThroughConsole(invocation))) {
    const all = await allWritten(invocation);
    return lang === undefined ? all : all.map((release) => inLanguage(release, lang));
  }
  const query = { limit: String(limits.changelogPage.max), lang };
  return (await invocation.client().changelog.list({ query })).entries;
}

interface Built {
  readonly release: Release;
  readonly build: string;
}

function faultsOf(all: readonly Built[]): { path: string; message: string }[] {
  const most = mostCharacters.android;
  return all.flatMap(({ release, build }, at) => {
    const other = all.slice(0, at).find((one) => one.build === build)?.release.version;
    const twice = other === undefined ? [] : [`has the same build number ${build} as ${other}`];
    const long = storeTextOf(release, most)
      ? []
      : [`begins with a change of more than ${most} characters: shorten it`];
    return [...twice, ...long].map((message) => ({ path: release.version, message }));
  });
}

const nothingToExport = (): CliError =>
  new CliError({
    exit: "notFound",
    code: "no_build_numbers",
    message: "No published release note has a build number for Android.",
    next: '`innkeep changelog edit 2.4.0 --platform-version "android=2.4.0 (145)"` sets one. `changelog release` has the same flag.',
  });

function fileOf(release: Release, platform: Platform, file: string): StoreFile | undefined {
  const made = storeTextOf(release, mostCharacters[platform]);
  return made && { file, version: release.version, characters: lengthOf(made.text), ...made };
}

async function write({ context }: Invocation, files: readonly StoreFile[], most: number): Promise<void> {
  try {
    // `writeInOneStep` replaces a link, which a stranger may have created. An app store counts a line end as a
    // character.
    for (const { file, text } of files)
      await writeInOneStep(resolve(context.cwd, file), lengthOf(text) < most ? `${text}\n` : text);
  } catch (cause) {
    throw usageError(`--out: the files cannot be written (${systemReason(cause)}).`);
  }
}

function show(invocation: Invocation, files: readonly StoreFile[]): void {
  for (const { version, file, omitted } of files)
    if (omitted > 0) note(invocation, `${file}: ${omitted} of the changes of ${version} did not fit.`);
  const columns = [
    { heading: "file", of: ({ file }: StoreFile) => file },
    { heading: "version", of: ({ version }: StoreFile) => version },
    { heading: "characters", of: ({ characters }: StoreFile) => characters },
    { heading: "left out", of: ({ omitted }: StoreFile) => omitted },
  ];
  printList(invocation, { items: files, columns });
}

/** The maximum number of characters that a store accepts. */
const mostCharacters = { android: 500, ios: 4_000 } as const;

type Platform = keyof typeof mostCharacters;

/** The text of a release note for a store. */
interface StoreText {
  readonly text: string;
  /** How many changes and paragraphs of the note did not fit. */
  readonly omitted: number;
}

/** Returns the number of characters of a text in the same way as stores count them. */
const lengthOf = (text: string): number => [...text].length;

/**
 * Returns the changes that fit completely, as plain text. Undefined if the first change is too long. (rule L34)
 */
function storeTextOf(release: Release, most: number): StoreText | undefined {
  const pieces = piecesFor(release);
  const count = fittingCount(pieces, most);
  const shown = pieces.slice(0, count);
  if (!shown.some(({ isHeading }) => !isHeading)) return undefined;
  const omitted = pieces.slice(count).filter(({ isHeading }) => !isHeading).length;
  return { text: joined(shown), omitted };
}

/** Returns how many pieces fit into the text. A heading is never the last piece. */
function fittingCount(pieces: readonly Piece[], most: number): number {
  let count = 0;
  pieces.forEach(({ isHeading }, at) => {
    if (count < at && !pieces[at - 1]?.isHeading) return;
    if (!isHeading && lengthOf(joined(pieces.slice(0, at + 1))) <= most) count = at + 1;
  });
  return count;
}

/**
 * Returns the pieces of `items` or `body`, as `bodyFormat` says. Falls back to the other part, then to `title`.
 */
function piecesFor({ bodyFormat, body, items, title }: Release): readonly Piece[] {
  const changes = items
    .map(({ text }) => withoutFeedbackLines(text))
    .filter(Boolean)
    .map((text) => ({ text: `- ${text}`, isHeading: false }));
  if (bodyFormat === "items" && changes.length > 0) return changes;
  const pieces = piecesOf(body).filter(({ text }) => text !== "");
  if (pieces.some(({ isHeading }) => !isHeading)) return pieces;
  return changes.length > 0 ? changes : [{ text: title, isHeading: false }];
}

const joined = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join("\n");

const versionsOn = (platform: Platform, { versions }: Release): readonly string[] =>
  versions.filter((one) => one.platform.toLowerCase() === platform).map((one) => one.version);

/** Whether a release is for this platform. A release without versions of platforms is for all platforms. */
const isOn = (platform: Platform, release: Release): boolean =>
  release.versions.length === 0 || versionsOn(platform, release).length > 0;

/** Returns the version codes of the Android builds, such as 145 in `145`, `2.4.0 (145)` and `2.4.0+145`. */
function buildsOf(release: Release): readonly string[] {
  const own = versionsOn("android", release);
  const texts = (own.length > 0 ? own : [release.version]).map((text) => text.trim());
  const numbers = texts.flatMap(
    (text) => /^(\d+)$|\((\d+)\)$|\+(\d+)$/.exec(text)?.slice(1).find(Boolean) ?? [],
  );
  return [...new Set(numbers)];
}
