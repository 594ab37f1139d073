import { ServerError } from "../client/errors.ts";
import type { EditedChangelogEntry, ImportedChangelogEntry } from "../contract/changelog.ts";
import { releaseDetails } from "./changelog/changelog-lists.ts";
import { findWritten, idOfRelease } from "./changelog/find.ts";
import { type ChangelogFlags, type CreateFlags, releaseOf } from "./changelog/flags.ts";
import { appIdOf, isId } from "./core/app-id.ts";
import { CliError, usageError } from "./core/cli-error.ts";
import { confirm } from "./core/confirm.ts";
import type { Invocation } from "./core/context.ts";
import { missingFlags } from "./core/missing-flags.ts";
import { note, printOne } from "./core/output.ts";

/**
 * Writes the release note of a version. An existing one is changed only with `--update`, so that a repeated job
 * does not make a second one.
 */
export async function createRelease(invocation: Invocation, flags: CreateFlags): Promise<undefined> {
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
export async function editRelease(
  invocation: Invocation,
  flags: ChangelogFlags,
  wanted: string,
): Promise<undefined> {
  const change = await releaseOf(invocation, flags);
  if (Object.values(change).every((value) => value === undefined)) {
    throw usageError("There is nothing to change.", "`innkeep changelog edit --help` lists what can be.");
  }
  const params = { entryId: await idOfRelease(invocation, wanted) };
  const entry = await invocation.client().consoleChangelog.update({ params, body: change });
  note(invocation, `Changed release note ${entry.id}.`);
  show(invocation, entry);
}

/** Publishes a release note now. */
export async function publishRelease(invocation: Invocation, _: object, wanted: string): Promise<undefined> {
  const params = { entryId: await idOfRelease(invocation, wanted) };
  const entry = await invocation.client().consoleChangelog.publish({ params });
  note(invocation, `Published release note ${entry.id}.`);
  show(invocation, entry);
}

/** Deletes a release note permanently. */
export async function deleteRelease(invocation: Invocation, _: object, wanted: string): Promise<undefined> {
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

/** The next step if the version already has a release note. */
function existing(error: unknown, version: string): unknown {
  if (!(error instanceof ServerError) || error.code !== "version_exists") return error;
  const { status, message, requestId } = error;
  return new CliError({
    exit: "conflict",
    code: error.code,
    message,
    next: `\`innkeep changelog edit ${version}\` changes it, as does \`create --update\`; --allow-duplicate makes a second one.`,
    status,
    ...(requestId && { requestId }),
  });
}
