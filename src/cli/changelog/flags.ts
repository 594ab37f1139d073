import { type Command, InvalidArgumentError, Option } from "commander";
import type * as z from "zod/mini";
import type { ChangelogChange } from "../../contract/changelog.ts";
import { choices } from "../core/choices.ts";
import type { Invocation } from "../core/context.ts";
import { inLanguage, several, splitPair, withTime } from "../core/flags.ts";
import { optionalTextOf } from "../core/input.ts";

/** The formats of release notes. The first is the default. */
const formats = ["keep-a-changelog", "changesets", "git", "github-release"];

/** Adds the flags for the source of release notes and for how they are written. */
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
export const importsReleases = (command: Command): Command =>
  inLanguage(readsReleases(command), "the source contains translations of notes that the server has")
    .option("--version <version>", "the version for unreleased notes")
    .addOption(
      new Option(
        "--published-at <instant>",
        "the time of publication for versions without a date: ISO 8601, or a day in UTC",
      ).conflicts("draft"),
    );

/** Adds the flags of `changelog export`. */
export const exportsReleases = (command: Command): Command =>
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
export const releasesVersion = (command: Command): Command =>
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

export interface ChangelogFlags {
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
export interface CreateFlags extends ChangelogFlags {
  readonly update?: boolean;
  readonly overwrite?: boolean;
  readonly allowDuplicate?: boolean;
}

/** Adds the flags for the case that the version already has a release note. */
export const createsRelease = (command: Command): Command =>
  withRequired(command)
    .option("--update", "change the release note of this version if there is one")
    .option("--overwrite", "with --update: also replace what a person wrote in the console")
    .addOption(
      new Option("--allow-duplicate", "create a second release note of the version").conflicts("update"),
    );

/**
 * Adds to the help text which flags are required. The parser does not check these flags. The action of the command
 * checks them.
 */
function withRequired(command: Command): Command {
  for (const option of command.options) {
    if (option.long === "--version") option.description += " (required)";
    if (option.long === "--title") option.description += " (required without --update)";
  }
  return command;
}

/** Adds the flags for the fields of a release note. */
export const describesRelease = (command: Command): Command =>
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

/** Returns the flag for a time of publication other than now. */
const publishedAt = (): Option =>
  new Option(
    "--published-at <instant>",
    "the time of publication, in the past or future: ISO 8601, or a day in UTC",
  );

/** Returns the fields of a request from the flags. The field of a missing flag is undefined. */
export const releaseOf = async (invocation: Invocation, flags: ChangelogFlags): Promise<Release> => ({
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
