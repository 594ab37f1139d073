import { type Command, Option } from "commander";
import { several } from "../core/flags.ts";
import { platformVersion, publishedAt } from "./flags.ts";

/** The forms of release notes; the first is usual. */
const formats = ["keep-a-changelog", "changesets", "git", "github-release"];

/** The flags that say where release notes come from, and what a command does with them. */
const readsReleases = (command: Command): Command =>
  command
    .addOption(
      new Option("--format <format>", "where the notes stand; keep-a-changelog unless given").choices(
        formats,
      ),
    )
    .option(
      "--from <tag>",
      "with --format git: the tag before the first commit; the one before --to unless given",
    )
    .option("--to <tag>", "with --format git: the tag of the version; that of the CI job unless given")
    .option("--without <types>", "with --format git: types of commits to leave out, as in chore,ci")
    .option("--draft", "leave publishing to a person")
    .option("--pre-releases", "publish pre-releases, too, which are drafts otherwise")
    .addOption(platformVersion())
    .option("--overwrite", "also what a person wrote in the console");

/** The flags of `changelog import`. */
export const importsReleases = (command: Command): Command =>
  readsReleases(command)
    .option("--version <version>", "the version of notes that have none yet")
    .addOption(
      new Option(
        "--published-at <instant>",
        "when versions without a date were or will be published: ISO 8601, or a day in UTC",
      ).conflicts("draft"),
    );

/** The flags of `changelog export`. */
export const exportsReleases = (command: Command): Command =>
  command
    .addOption(
      new Option("--format <format>", "the program that reads the files; fastlane unless given").choices([
        "fastlane",
      ]),
    )
    .addOption(
      new Option("--platform <platform>", "the store's platform")
        .choices(["android", "ios"])
        .makeOptionMandatory(),
    )
    .requiredOption("--out <folder>", "the folder of a language, such as fastlane/metadata/android/en-US")
    .option("--version <version>", "only this version, also a draft; several times", several)
    .option("--drafts", "drafts too; needs a maintainer token")
    .option("--dry-run", "show the files without writing them");

/** The flags of `changelog release`. */
export const releasesVersion = (command: Command): Command =>
  readsReleases(command)
    .option("--version <version>", "the version; the tag of the CI job, or the newest, unless given")
    .option(
      "--notes <text>",
      "the notes, in Markdown, instead of a file; `-` is standard input, `@file` a file",
    )
    .option("--title <text>", "the title; that of its heading unless given")
    .addOption(publishedAt().conflicts("draft"));
