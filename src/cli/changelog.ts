import { type Command, InvalidArgumentError, Option } from "commander";
import type * as z from "zod/mini";
import { ServerError } from "../client/errors.ts";
import { routes } from "../client/routes.ts";
import type { ChangelogChange, EditedChangelogEntry, ImportedChangelogEntry } from "../contract/changelog.ts";
import type { ExportFlags } from "./changelog/export.ts";
import { findWritten, idOfRelease, listReleases, releaseDetails, viewRelease } from "./changelog/find.ts";
import type { ImportFlags, ReleaseFlags } from "./changelog/releases.ts";
import { choices } from "./core/choices.ts";
import { CliError, usageError } from "./core/cli-error.ts";
import {
  addExamples,
  commandAction,
  destroys,
  inLanguage,
  mutates,
  ofApp,
  type Setup,
  several,
  splitPair,
  views,
  wholeNumber,
  withTime,
} from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
import { missingFlags } from "./core/failures.ts";
import { appIdOf, isId } from "./core/ids.ts";
import { confirm, optionalTextOf } from "./core/input.ts";
import { note, printOne } from "./core/output.ts";

export function addChangelog(changelog: Command, setup: Setup): void {
  const list = changelog.command("list").alias("ls").description(routes.changelog.list.summary);
  list
    .option("--since <version>", "only notes that were published after this version")
    .option("--limit <number>", "the maximum number of notes in the list", wholeNumber)
    .option("--cursor <cursor>", "continue after the previous page; needs a maintainer token")
    .option("--all", "all pages")
    .option("--drafts", "also list drafts; needs a maintainer token")
    .option("--search <words>", "only notes with all of these words; needs a maintainer token");
  inLanguage(list, "the texts that a user with this language gets");
  addExamples(list, "innkeep changelog list", "innkeep changelog list --all --drafts --app Larder");
  commandAction(ofApp(list), setup, listReleases);

  const view = changelog
    .command("view <release>")
    .alias("show")
    .description("Show one release note, by id or version");
  addExamples(view, "innkeep changelog view 2.4.0", "innkeep changelog view 2.4.0 --raw body > notes.md");
  commandAction(views(ofApp(view)), setup, viewRelease);

  const create = mutates(
    changelog.command("create").alias("new").description(routes.consoleChangelog.create.summary),
  );
  addExamples(
    create,
    'innkeep changelog create --version 2.4.0 --title "Faster lists" --item added="Sort by date" --publish',
    "innkeep changelog create --version 2.4.0 --body @notes.md --publish --update",
  );
  commandAction(ofApp(createsRelease(describesRelease(create))), setup, createRelease);

  const edit = mutates(
    changelog
      .command("edit <release>")
      .alias("update")
      .description("Change a release note, found by id or version"),
  );
  edit.option(
    "--draft",
    "save the change as a draft of a published note; the published text does not change",
  );
  inLanguage(edit, "change the translation into this language: --title, --body and --item").option(
    "--delete-translation",
    "with --lang: delete the translation",
  );
  addExamples(
    edit,
    'innkeep changelog edit 2.4.0 --title "Faster lists and syncing"',
    'innkeep changelog edit 2.4.0 --lang de --title "Schnellere Listen" --body @notes.md',
  );
  commandAction(ofApp(describesRelease(edit)), setup, editRelease);

  const publish = mutates(
    changelog
      .command("publish <release>")
      .description(
        "Publish a release note now, found by id or version; a note that is already published keeps its date",
      ),
  );
  addExamples(publish, "innkeep changelog publish 2.4.0");
  commandAction(ofApp(publish), setup, publishRelease);

  const remove = destroys(
    changelog
      .command("delete <release>")
      .alias("rm")
      .description("Delete a release note permanently, found by id or version"),
  );
  addExamples(remove, "innkeep changelog delete 2.4.0 --yes");
  commandAction(ofApp(remove), setup, deleteRelease);

  addDrafts(changelog, setup);

  const picture = mutates(
    changelog.command("picture <files...>").description(routes.texts.addReleasePictures.summary),
  );
  addExamples(picture, "innkeep changelog picture screen.png");
  commandAction<object, readonly string[]>(ofApp(picture), setup, async (invocation, _, paths) =>
    (await import("./core/content.ts")).addReleasePictures(invocation, paths),
  );

  addReleases(changelog, setup);
}

/** Adds the commands for drafts of published notes, and for earlier texts. */
function addDrafts(changelog: Command, setup: Setup): void {
  const { removeDraft, history, restore } = routes.consoleChangelog;
  const discarding = mutates(changelog.command("discard <release>").description(removeDraft.summary));
  addExamples(discarding, "innkeep changelog discard 2.4.0");
  commandAction<object, string>(ofApp(discarding), setup, async (...given) =>
    (await import("./changelog/drafts.ts")).discardDraft(...given),
  );

  const versions = changelog.command("history <release>").description(history.summary);
  addExamples(versions, "innkeep changelog history 2.4.0");
  commandAction<object, string>(ofApp(versions), setup, async (...given) =>
    (await import("./changelog/drafts.ts")).listVersions(...given),
  );

  const restoring = mutates(
    changelog.command("restore <release>").description(restore.summary),
  ).requiredOption("--to <text>", "the id of an earlier text, as `changelog history` lists it");
  addExamples(restoring, "innkeep changelog restore 2.4.0 --to 01b2c3d4-237d-759b-ad89-7cf5663516dc");
  commandAction<{ to: string }, string>(ofApp(restoring), setup, async (...given) =>
    (await import("./changelog/drafts.ts")).restoreVersion(...given),
  );
}

/** Adds the commands that read files with release notes, and the command that writes files for app stores. */
function addReleases(changelog: Command, setup: Setup): void {
  const importing = mutates(
    changelog
      .command("import [file]")
      .description(
        "Write the release notes of all versions to the server, from a CHANGELOG.md, changesets or commits",
      ),
  );
  addExamples(
    importing,
    "innkeep changelog import",
    "innkeep changelog import --format git --from v2.3.0 --to v2.4.0 --dry-run",
    "innkeep changelog import CHANGELOG.md --lang de",
  );
  commandAction<ImportFlags, string | undefined>(ofApp(importsReleases(importing)), setup, async (...given) =>
    (await import("./changelog/releases.ts")).importReleases(...given),
  );

  const release = mutates(
    changelog
      .command("release [file]")
      .description(
        "Write and publish the release notes of one version, in a CI job for the tag of the version",
      ),
  );
  addExamples(
    release,
    "innkeep changelog release",
    "innkeep changelog release --version 2.4.0 --notes @notes.md --platform-version android=1.2.0",
  );
  commandAction<ReleaseFlags, string | undefined>(ofApp(releasesVersion(release)), setup, async (...given) =>
    (await import("./changelog/releases.ts")).release(...given),
  );

  const exporting = changelog
    .command("export")
    .description(
      "Write the texts of release notes into files for an app store, in the form that fastlane reads",
    );
  addExamples(
    exporting,
    "innkeep changelog export --platform android --out fastlane/metadata/android/en-US",
    "innkeep changelog export --platform android --lang de --out fastlane/metadata/android/de-DE",
    "innkeep changelog export --platform ios --version 2.4.0 --out fastlane/metadata/en-US --dry-run",
  );
  commandAction<ExportFlags>(ofApp(exportsReleases(exporting)), setup, async (invocation, flags) =>
    (await import("./changelog/export.ts")).exportReleases(invocation, flags),
  );
}

/** The formats of release notes. The first is the default. */
const formats = ["keep-a-changelog", "changesets", "git", "github-release"];

/** Adds the flags that say where release notes are read from, and how they are stored on the server. */
const readsReleases = (command: Command): Command =>
  command
    .addOption(
      new Option("--format <format>", "the format of the source; default: keep-a-changelog").choices(formats),
    )
    .option(
      "--from <tag>",
      "with --format git: the tag before the first commit; default: the tag before --to",
    )
    .option("--to <tag>", "with --format git: the tag of the version; default: the tag of the CI job")
    .option("--without <types>", "with --format git: types of commits to leave out, as in chore,ci")
    .option("--draft", "write drafts that a person publishes later")
    .option("--pre-releases", "also publish pre-releases; without this flag they become drafts")
    .addOption(platformVersion())
    .option("--overwrite", "also replace what a person wrote in the console");

/** Adds the flags of `changelog import`. */
const importsReleases = (command: Command): Command =>
  inLanguage(readsReleases(command), "the source contains translations of notes that the server has")
    .option("--version <version>", "the version for unreleased notes")
    .addOption(
      new Option(
        "--published-at <instant>",
        "the time of publication for versions without a date: ISO 8601, or a day in UTC",
      ).conflicts("draft"),
    );

/** Adds the flags of `changelog export`. */
const exportsReleases = (command: Command): Command =>
  inLanguage(command, "the language of the texts; a note without this translation gets its default text")
    .addOption(
      new Option("--format <format>", "the program that reads the files; default: fastlane").choices([
        "fastlane",
      ]),
    )
    .addOption(
      new Option("--platform <platform>", "the platform of the store")
        .choices(["android", "ios"])
        .makeOptionMandatory(),
    )
    .requiredOption("--out <folder>", "the folder for one language, such as fastlane/metadata/android/en-US")
    .option("--version <version>", "only this version, which may be a draft; repeatable", several)
    .option("--drafts", "also export drafts; needs a maintainer token")
    .option("--dry-run", "show the files without writing them");

/** Adds the flags of `changelog release`. */
const releasesVersion = (command: Command): Command =>
  readsReleases(command)
    .option("--version <version>", "the version; default: the tag of the CI job, or else the newest version")
    .option(
      "--notes <text>",
      "the notes, in Markdown, instead of a file; `-` is standard input, `@file` a file",
    )
    .option("--title <text>", "the title; default: the title in the heading of the version")
    .addOption(publishedAt().conflicts("draft"));

type Release = z.input<typeof ChangelogChange>;

type Item = NonNullable<Release["items"]>[number];

type PlatformVersion = NonNullable<Release["versions"]>[number];

interface ChangelogFlags {
  readonly title?: string;
  readonly version?: string;
  readonly platformVersion?: PlatformVersion[];
  readonly releaseType?: Release["releaseType"];
  readonly bodyFormat?: Release["bodyFormat"];
  readonly body?: string;
  readonly item?: Item[];
  readonly publish?: boolean;
  readonly publishedAt?: string;
  readonly lang?: string;
  readonly deleteTranslation?: boolean;
}

/** The flags of a new release note. */
interface CreateFlags extends ChangelogFlags {
  readonly update?: boolean;
  readonly overwrite?: boolean;
  readonly allowDuplicate?: boolean;
}

/** Adds the flags for the case that the version already has a release note. */
const createsRelease = (command: Command): Command =>
  withRequired(command)
    .option("--update", "change the release note of this version if there is one")
    .option("--overwrite", "with --update: also replace what a person wrote in the console")
    .addOption(
      new Option("--allow-duplicate", "create a second release note of the version").conflicts("update"),
    );

/** Marks the required flags in the help text. The action of the command checks them, not the parser. */
function withRequired(command: Command): Command {
  for (const option of command.options) {
    if (option.long === "--version") option.description += " (required)";
    if (option.long === "--title") option.description += " (required without --update)";
  }
  return command;
}

/** Adds the flags for the fields of a release note. */
const describesRelease = (command: Command): Command =>
  command
    .option("--title <text>", "the title; `-` is standard input, `@file` a file")
    .option("--version <version>", "the version that the note describes")
    .addOption(platformVersion())
    .addOption(
      new Option(
        "--release-type <type>",
        "the size of the release; default: computed from the previous version",
      ).choices(choices.releaseTypes),
    )
    .addOption(
      new Option("--body-format <format>", "the part of the note that apps show").choices(
        choices.bodyFormats,
      ),
    )
    .option("--body <text>", "the text, in Markdown; `-` is standard input, `@file` a file")
    .option("--item <type=text>", `one change: ${choices.itemTypes.join(", ")}; repeatable`, items)
    .option("--publish", "publish the note now; a note that is already published keeps its date")
    .addOption(publishedAt().conflicts("publish"));

/** Returns the flag for the version on one platform. */
const platformVersion = (): Option =>
  new Option("--platform-version <platform=version>", "the version on one platform; repeatable").argParser(
    versions,
  );

/** Returns the flag for a time of publication in the past or the future. */
const publishedAt = (): Option =>
  new Option(
    "--published-at <instant>",
    "the time of publication, in the past or future: ISO 8601, or a day in UTC",
  );

/** Returns the fields of a request from the flags. The field of a missing flag is undefined. */
const releaseOf = async (invocation: Invocation, flags: ChangelogFlags): Promise<Release> => ({
  title: await optionalTextOf(invocation, "--title", flags.title),
  version: flags.version,
  versions: flags.platformVersion,
  releaseType: flags.releaseType,
  bodyFormat: flags.bodyFormat ?? (flags.item && flags.body === undefined ? "items" : undefined),
  body: await optionalTextOf(invocation, "--body", flags.body),
  items: flags.item,
  publish: flags.publish,
  publishedAt: flags.publishedAt && withTime(flags.publishedAt),
});

const versions = (given: string, before: PlatformVersion[] = []): PlatformVersion[] => {
  const [platform, version] = splitPair(given);
  return [...before, { platform, version }];
};

const items = (given: string, before: Item[] = []): Item[] => {
  const [name, text] = splitPair(given);
  const type = choices.itemTypes.find((one) => one === name);
  if (!type) throw new InvalidArgumentError(`It must begin with one of ${choices.itemTypes.join(", ")}.`);
  return [...before, { type, text }];
};

/**
 * Creates the release note of a version. With `--update`, changes an existing note instead of adding a second
 * one.
 */
async function createRelease(invocation: Invocation, flags: CreateFlags): Promise<undefined> {
  const { title, version, ...rest } = await releaseOf(invocation, flags);
  if (version === undefined || (title === undefined && !flags.update))
    throw missingFlags([
      ...(title === undefined ? ["--title"] : []),
      ...(version === undefined ? ["--version"] : []),
    ]);
  const params = { appId: await appIdOf(invocation) };
  if (flags.update) {
    const place = { params: { ...params, version }, body: { title, ...rest, overwrite: flags.overwrite } };
    printImport(invocation, await invocation.client().consoleChangelog.put(place));
    return;
  }
  const body = { title: title ?? "", version, ...rest, allowDuplicate: flags.allowDuplicate };
  try {
    printCreated(invocation, await invocation.client().consoleChangelog.create({ params, body }));
  } catch (error) {
    throw existing(error, version);
  }
}

/** Changes the given fields of a note. `wanted` is an id or a version. With `--lang`, changes a translation. */
async function editRelease(
  invocation: Invocation,
  flags: ChangelogFlags & { readonly draft?: boolean },
  wanted: string,
): Promise<undefined> {
  const change = await releaseOf(invocation, flags);
  if (flags.lang === undefined && flags.deleteTranslation)
    throw usageError("--delete-translation needs --lang.");
  if (flags.lang !== undefined) {
    const { translateRelease } = await import("./changelog/drafts.ts");
    const { lang, draft = false, deleteTranslation = false } = flags;
    return translateRelease(invocation, wanted, {
      language: lang,
      draft,
      deletes: deleteTranslation,
      change,
    });
  }
  if (flags.draft) {
    const { publish, publishedAt, ...text } = change;
    if (publish !== undefined || publishedAt !== undefined)
      throw usageError("A draft has no time of publication. Publish it with `innkeep changelog publish`.");
    return (await import("./changelog/drafts.ts")).saveDraft(invocation, wanted, text);
  }
  if (Object.values(change).every((value) => value === undefined)) {
    throw usageError(
      "There is nothing to change.",
      "`innkeep changelog edit --help` lists what can be changed.",
    );
  }
  const params = { entryId: await idOfRelease(invocation, wanted) };
  const entry = await invocation.client().consoleChangelog.update({ params, body: change });
  note(invocation, `Changed release note ${entry.id}.`);
  show(invocation, entry);
}

async function publishRelease(invocation: Invocation, _: object, wanted: string): Promise<undefined> {
  const params = { entryId: await idOfRelease(invocation, wanted) };
  const entry = await invocation.client().consoleChangelog.publish({ params });
  note(invocation, `Published release note ${entry.id}.`);
  show(invocation, entry);
}

async function deleteRelease(invocation: Invocation, _: object, wanted: string): Promise<undefined> {
  const { id, name } = await namedRelease(invocation, wanted);
  await confirm(invocation, `Delete release note ${name} permanently?`);
  const answer = await invocation.client().consoleChangelog.remove({ params: { entryId: id } });
  note(invocation, `Deleted release note ${name}.`);
  printOne(invocation, { ...answer, id }, () => id);
}

async function namedRelease(invocation: Invocation, wanted: string) {
  if (isId(wanted)) return { id: wanted, name: wanted };
  const { id, version, title } = await findWritten(invocation, wanted);
  return { id, name: `${id} (${version}, ${title})` };
}

const show = (invocation: Invocation, entry: EditedChangelogEntry): void =>
  printOne(invocation, entry, () => releaseDetails(entry));

function printCreated(invocation: Invocation, entry: EditedChangelogEntry): void {
  note(invocation, `Created release note ${entry.id}${entry.publishedAt ? "" : ", a draft"}.`);
  show(invocation, entry);
}

function printImport(invocation: Invocation, entry: ImportedChangelogEntry): void {
  const { created, changedFields = [], keptFields = [] } = entry;
  if (keptFields.length > 0) {
    const kept = keptFields.join(", ");
    note(invocation, `Kept what a person wrote: ${kept}. --overwrite replaces it.`);
  }
  if (created) {
    printCreated(invocation, entry);
    return;
  }
  const changed = changedFields.length > 0 ? `Changed ${changedFields.join(", ")} of` : "Nothing to do for";
  note(invocation, `${changed} release note ${entry.id}.`);
  show(invocation, entry);
}

/** Adds advice to a `version_exists` error, in the field `next`. Returns any other error unchanged. */
function existing(error: unknown, version: string): unknown {
  if (!(error instanceof ServerError) || error.code !== "version_exists") return error;
  const { status, message, requestId } = error;
  return new CliError({
    exit: "conflict",
    code: error.code,
    message,
    next: `\`innkeep changelog edit ${version}\` changes it, as does \`create --update\`; --allow-duplicate creates a second note.`,
    status,
    ...(requestId && { requestId }),
  });
}
