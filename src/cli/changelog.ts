import type { Command } from "commander";
import { ServerError } from "../client/errors.ts";
import { routes } from "../client/routes.ts";
import type { EditedChangelogEntry, ImportedChangelogEntry } from "../contract/changelog.ts";
import type { ExportFlags } from "./changelog/export.ts";
import { findWritten, idOfRelease, listReleases, releaseDetails, viewRelease } from "./changelog/find.ts";
import {
  type ChangelogFlags,
  type CreateFlags,
  createsRelease,
  describesRelease,
  exportsReleases,
  importsReleases,
  releaseOf,
  releasesVersion,
} from "./changelog/flags.ts";
import type { ImportFlags, ReleaseFlags } from "./changelog/publish.ts";
import { CliError, usageError } from "./core/cli-error.ts";
import { commandAction, type Setup } from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
import { missingFlags } from "./core/failures.ts";
import { destroys, inLanguage, mutates, ofApp, views, wholeNumber } from "./core/flags.ts";
import { addExamples } from "./core/help.ts";
import { appIdOf, isId } from "./core/ids.ts";
import { confirm } from "./core/input.ts";
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
    (await import("./changelog/publish.ts")).importReleases(...given),
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
    (await import("./changelog/publish.ts")).release(...given),
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

/**
 * Creates the release note of a version. With `--update`, changes the existing note of the version. So a job that runs
 * twice does not create a second note.
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

/** Changes the given fields of a release note, named by its id or version. */
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

/**
 * Adds the next step to the error for a version that already has a release note. Returns any other error unchanged.
 */
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
