import { type Command, InvalidArgumentError, Option } from "commander";
import type * as z from "zod/mini";
import type { ChangelogChange } from "../contract/changelog.ts";
import { bothSides } from "./both-sides.ts";
import { choices } from "./choices.ts";
import type { Invocation } from "./context.ts";
import { optionalTextOf } from "./text-flag.ts";

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
}

/** The flags that hold a release note. */
export const describesRelease = (command: Command): Command =>
  command
    .option("--title <text>", "the title; `-` is standard input, `@file` a file")
    .option("--version <version>", "the version that it is about")
    .option("--platform-version <platform=version>", "the version on one platform; several times", versions)
    .addOption(new Option("--release-type <type>", "how big it is").choices(choices.releaseTypes))
    .addOption(new Option("--body-format <format>", "what readers show").choices(choices.bodyFormats))
    .option("--body <text>", "the text, in Markdown; `-` is standard input, `@file` a file")
    .option("--item <type=text>", `one change: ${choices.itemTypes.join(", ")}; several times`, items)
    .option("--publish", "publish it now");

/** The flags as a request holds them; undefined where a flag is not given. */
export const releaseOf = async (invocation: Invocation, flags: ChangelogFlags): Promise<Release> => ({
  title: await optionalTextOf(invocation, "--title", flags.title),
  version: flags.version,
  versions: flags.platformVersion,
  releaseType: flags.releaseType,
  bodyFormat: flags.bodyFormat ?? (flags.item && flags.body === undefined ? "items" : undefined),
  body: await optionalTextOf(invocation, "--body", flags.body),
  items: flags.item,
  publishedAt: flags.publish ? invocation.context.clock.now().toISOString() : undefined,
});

const versions = (given: string, before: PlatformVersion[] = []): PlatformVersion[] => {
  const [platform, version] = bothSides(given);
  return [...before, { platform, version }];
};

const items = (given: string, before: Item[] = []): Item[] => {
  const [name, text] = bothSides(given);
  const type = choices.itemTypes.find((one) => one === name);
  if (!type) throw new InvalidArgumentError(`The type is one of ${choices.itemTypes.join(", ")}.`);
  return [...before, { type, text }];
};
