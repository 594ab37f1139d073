import type { Command } from "commander";
import { routes } from "../client/routes.ts";
import { listReleases, viewRelease } from "./changelog/changelog-lists.ts";
import type { ExportFlags } from "./changelog/export.ts";
import { createsRelease, describesRelease } from "./changelog/flags.ts";
import type { ImportFlags } from "./changelog/import.ts";
import type { ReleaseFlags } from "./changelog/release.ts";
import { exportsReleases, importsReleases, releasesVersion } from "./changelog/release-flags.ts";
import { createRelease, deleteRelease, editRelease, publishRelease } from "./changelog-changes.ts";
import { commandAction, type Setup } from "./core/command.ts";
import { destroys, mutates, ofApp, views, wholeNumber } from "./core/flags.ts";

export function addChangelog(changelog: Command, setup: Setup): void {
  const list = changelog.command("list").alias("ls").description(routes.changelog.list.summary);
  list
    .option("--since <version>", "only what was published after this version")
    .option("--limit <number>", "how many at most", wholeNumber)
    .option("--cursor <cursor>", "continue after the previous page; needs a maintainer token")
    .option("--all", "everything, page after page")
    .option("--drafts", "drafts too; needs a maintainer token");
  commandAction(ofApp(list), setup, listReleases);

  const view = changelog
    .command("view <release>")
    .alias("show")
    .description("Show one release note, by id or version");
  commandAction(views(ofApp(view)), setup, viewRelease);

  const create = mutates(
    changelog.command("create").alias("new").description(routes.consoleChangelog.create.summary),
  );
  commandAction(ofApp(createsRelease(describesRelease(create))), setup, createRelease);

  const edit = mutates(
    changelog
      .command("edit <release>")
      .alias("update")
      .description("Change a release note, found by id or version"),
  );
  commandAction(ofApp(describesRelease(edit)), setup, editRelease);

  const publish = mutates(
    changelog
      .command("publish <release>")
      .description("Publish a release note now, found by id or version; a published one keeps its date"),
  );
  commandAction(ofApp(publish), setup, publishRelease);

  const remove = destroys(
    changelog
      .command("delete <release>")
      .alias("rm")
      .description("Delete a release note permanently, found by id or version"),
  );
  commandAction(ofApp(remove), setup, deleteRelease);

  addReleases(changelog, setup);
}

/** The commands for whole files, and for stores. */
function addReleases(changelog: Command, setup: Setup): void {
  const importing = mutates(
    changelog
      .command("import [file]")
      .description("Write the release notes of all versions of a CHANGELOG.md, of changesets or of commits"),
  );
  commandAction<ImportFlags, string | undefined>(ofApp(importsReleases(importing)), setup, async (...given) =>
    (await import("./changelog/import.ts")).importReleases(...given),
  );

  const release = mutates(
    changelog
      .command("release [file]")
      .description("Write and publish the release notes of one version, in a job for its tag"),
  );
  commandAction<ReleaseFlags, string | undefined>(ofApp(releasesVersion(release)), setup, async (...given) =>
    (await import("./changelog/release.ts")).release(...given),
  );

  const exporting = changelog
    .command("export")
    .description("Write the texts of release notes into files for a store, as fastlane takes them");
  commandAction<ExportFlags>(ofApp(exportsReleases(exporting)), setup, async (invocation, flags) =>
    (await import("./changelog/export.ts")).exportReleases(invocation, flags),
  );
}
