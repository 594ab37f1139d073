import type { Command } from "commander";
import { routes } from "../../client/routes.ts";
import { appOf } from "../app-of.ts";
import { type ChangelogFlags, describesRelease, releaseOf } from "../changelog-flags.ts";
import { listReleases, releaseDetails, viewRelease } from "../changelog-lists.ts";
import { usageError } from "../cli-error.ts";
import { confirm } from "../confirm.ts";
import type { Invocation } from "../context.ts";
import { destroys, mutates, ofApp, wholeNumber } from "../flags.ts";
import { onRun, type Setup } from "../on-run.ts";
import { note, printOne } from "../output.ts";

export function addChangelog(changelog: Command, setup: Setup): void {
  const list = changelog.command("list").alias("ls").description(routes.changelog.list.summary);
  list
    .option("--since <version>", "only what was published after this version")
    .option("--limit <number>", "how many at most", wholeNumber)
    .option("--drafts", "drafts too; needs a maintainer token");
  onRun(ofApp(list), setup, listReleases);

  const view = changelog
    .command("view <id>")
    .alias("show")
    .description("Show one release note, by id or version");
  onRun(ofApp(view), setup, viewRelease);

  const create = mutates(
    changelog.command("create").alias("new").description(routes.consoleChangelog.create.summary),
  );
  onRun(ofApp(describesRelease(create)), setup, createRelease);

  const edit = mutates(
    changelog.command("edit <id>").alias("update").description(routes.consoleChangelog.update.summary),
  );
  onRun(describesRelease(edit), setup, editRelease);

  const publish = mutates(
    changelog.command("publish <id>").description(routes.consoleChangelog.publish.summary),
  );
  onRun(publish, setup, publishRelease);

  const remove = destroys(
    changelog.command("delete <id>").alias("rm").description(routes.consoleChangelog.remove.summary),
  );
  onRun(remove, setup, deleteRelease);
}

async function createRelease(invocation: Invocation, flags: ChangelogFlags): Promise<undefined> {
  const { title, version, ...rest } = await releaseOf(invocation, flags);
  if (title === undefined || version === undefined) {
    throw usageError("A release note needs a title and a version.", "Give --title and --version.");
  }
  const { consoleChangelog } = invocation.client();
  const params = { appId: await appOf(invocation) };
  const entry = await consoleChangelog.create({ params, body: { title, version, ...rest } });
  note(invocation, `Created release note ${entry.id}${entry.publishedAt ? "" : ", a draft"}.`);
  printOne(invocation, entry, () => releaseDetails(entry));
}

async function editRelease(
  invocation: Invocation,
  flags: ChangelogFlags,
  entryId: string,
): Promise<undefined> {
  const change = await releaseOf(invocation, flags);
  if (Object.values(change).every((value) => value === undefined)) {
    throw usageError("There is nothing to change.", "`innkeep changelog edit --help` lists what can be.");
  }
  const entry = await invocation.client().consoleChangelog.update({ params: { entryId }, body: change });
  note(invocation, `Changed release note ${entry.id}.`);
  printOne(invocation, entry, () => releaseDetails(entry));
}

async function publishRelease(invocation: Invocation, _: object, entryId: string): Promise<undefined> {
  const entry = await invocation.client().consoleChangelog.publish({ params: { entryId } });
  note(invocation, `Published release note ${entry.id}.`);
  printOne(invocation, entry, () => releaseDetails(entry));
}

async function deleteRelease(invocation: Invocation, _: object, entryId: string): Promise<undefined> {
  await confirm(invocation, `Delete release note ${entryId} for good?`);
  const answer = await invocation.client().consoleChangelog.remove({ params: { entryId } });
  note(invocation, `Deleted release note ${entryId}.`);
  printOne(invocation, { ...answer, id: entryId }, () => entryId);
}
