import { join, resolve } from "node:path";
import { limits } from "../../../contract/limits.ts";
import { isSameVersion } from "../../../contract/version.ts";
import { CliError, usageError } from "../../core/failures/cli-error.ts";
import { goesThroughConsole } from "../../core/input/app-id.ts";
import { reasonOf } from "../../core/input/text-flag.ts";
import { assertInside } from "../../core/output/inside-folder.ts";
import { note, printList } from "../../core/output/output.ts";
import { writeInOneStep } from "../../core/output/write-file.ts";
import type { GlobalFlags, Invocation } from "../../core/program/context.ts";
import { allWritten, type Release } from "../changelog-find.ts";
import { buildsOf, lengthOf, mostCharacters, type Platform, storeTextOf } from "./store-text.ts";

export interface ExportFlags extends GlobalFlags {
  readonly platform: Platform;
  readonly out: string;
  readonly version?: readonly string[];
  readonly drafts?: boolean;
}

/** A file for a store, and how much of the release note it leaves out. */
interface StoreFile {
  readonly file: string;
  readonly version: string;
  readonly characters: number;
  readonly omitted: number;
  readonly text: string;
}

/**
 * Writes a text file for each build of the platform that a release note has, as fastlane takes them. Throws a usage error that
 * names every note for which there can be no file; then none is written.
 */
export async function exportReleases(invocation: Invocation, flags: ExportFlags): Promise<undefined> {
  const { platform, version: wanted = [], out } = flags;
  await assertInside(invocation.context.cwd, join(out, "changelogs"));
  const releases = await chosen(invocation, flags);
  const built = releases.map((release) => ({ release, builds: buildsOf(release, platform) }));
  const without = built.filter(({ builds }) => builds.length === 0).map(({ release }) => release.version);
  const withBuild = built.flatMap(({ release, builds }) => builds.map((build) => ({ release, build })));
  const issues = [
    ...(wanted.length > 0 ? without : []).map((path) => ({
      path,
      message: `has no build number of ${platform}`,
    })),
    ...faultsOf(withBuild, platform),
  ];
  if (issues.length > 0) throw usageError("No file was written:", undefined, { issues });
  if (withBuild.length === 0) throw nothingToExport(platform);
  if (without.length > 0) note(invocation, `Without a build number of ${platform}: ${without.join(", ")}.`);
  const files = withBuild.flatMap((one) => fileOf(one, { platform, out }) ?? []);
  if (!flags.dryRun) await write(invocation, files);
  show(invocation, files);
  return undefined;
}

/** The release notes that are meant: the named ones, or all that are published. */
async function chosen(invocation: Invocation, { version, drafts }: ExportFlags): Promise<readonly Release[]> {
  const all = await readable(invocation);
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
      next: "`innkeep changelog list --all` shows them all; drafts need a maintainer token.",
    });
  });
}

async function readable(invocation: Invocation): Promise<readonly Release[]> {
  if (await goesThroughConsole(invocation)) return allWritten(invocation);
  const query = { limit: String(limits.changelogPage.max) };
  return (await invocation.client().changelog.list({ query })).entries;
}

interface Built {
  readonly release: Release;
  readonly build: string;
}

function faultsOf(all: readonly Built[], platform: Platform): { path: string; message: string }[] {
  const most = mostCharacters[platform];
  // Some disks do not tell small letters from large ones.
  return all.flatMap(({ release, build }, at) => {
    const other = all.slice(0, at).find((one) => one.build.toLowerCase() === build.toLowerCase())
      ?.release.version;
    const twice = other === undefined ? [] : [`has the build number ${build}, as ${other} has`];
    const long = storeTextOf(release, most)
      ? []
      : [`begins with a change of more than ${most} characters: shorten it`];
    return [...twice, ...long].map((message) => ({ path: release.version, message }));
  });
}

const nothingToExport = (platform: Platform): CliError =>
  new CliError({
    exit: "notFound",
    code: "no_build_numbers",
    message: `No published release note has a build number of ${platform}.`,
    next: `\`innkeep changelog edit 2.4.0 --platform-version "${platform}=2.4.0 (145)"\` sets one, as does \`changelog release\`.`,
  });

function fileOf(
  { release, build }: Built,
  { platform, out }: { readonly platform: Platform; readonly out: string },
): StoreFile | undefined {
  const made = storeTextOf(release, mostCharacters[platform]);
  if (!made) return undefined;
  const file = join(out, "changelogs", `${build}.txt`);
  return { file, version: release.version, characters: lengthOf(made.text), ...made };
}

async function write({ context }: Invocation, files: readonly StoreFile[]): Promise<void> {
  try {
    // A link is replaced: one in a checkout of a stranger may lead to any file of the machine.
    for (const { file, text } of files) await writeInOneStep(resolve(context.cwd, file), `${text}\n`);
  } catch (cause) {
    throw usageError(`--out: the files cannot be written (${reasonOf(cause)}).`);
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
