import { type Command, Option } from "commander";
import { routes } from "../../client/routes.ts";
import { limits } from "../../contract/limits.ts";
import type { ThreadStatus } from "../../contract/threads.ts";
import { countOf } from "../../words/phrases.ts";
import { choices } from "../core/choices.ts";
import { usageError } from "../core/cli-error.ts";
import { commandAction, type Setup } from "../core/command.ts";
import { allPages } from "../core/connection.ts";
import type { Invocation } from "../core/context.ts";
import { mutates, ofApp, several } from "../core/flags.ts";
import { addExamples } from "../core/help.ts";
import { appIdOf } from "../core/ids.ts";
import { note, printOne } from "../core/output.ts";
import { queryOfView } from "../view.ts";
import { endOfSnooze } from "./snooze.ts";
import { wholeThreadId } from "./thread-ids.ts";

interface BulkFlags {
  readonly view?: string;
  readonly status?: ThreadStatus;
  readonly tag?: readonly string[];
  readonly untag?: readonly string[];
  readonly assignee?: string;
  readonly snooze?: string;
  readonly read?: boolean;
  readonly undo?: string;
}

/** Adds `feedback bulk`. */
export function addBulk(feedback: Command, setup: Setup): void {
  const bulk = feedback
    .command("bulk [thread...]")
    .description(routes.bulk.change.summary)
    .option(
      "--view <name>",
      "change the threads of this view instead of named threads; `innkeep view list` lists the views",
    )
    .addOption(new Option("--status <status>", "set this status").choices(choices.threadStatuses))
    .option("--tag <name>", "add this tag; repeatable", several)
    .option("--untag <name>", "remove this tag; repeatable", several)
    .option("--assignee <who>", "assign the threads to a member by e-mail address, to `me` or to `none`")
    .option(
      "--snooze <until>",
      "snooze the threads until a time as in `feedback snooze`; `none` ends the snooze",
    )
    .option("--read", "mark the threads as read for you")
    .option("--undo <token>", "undo a change within ten minutes; the change has printed the token");
  addExamples(
    bulk,
    "innkeep feedback bulk 01a1fda4-237d-759b-ad89-7cf5663516dc --status resolved --tag fixed --app Larder",
    "innkeep feedback bulk --undo 01a1fda4-237d-759b-ad89-7cf5663516dc --app Larder",
  );
  commandAction<BulkFlags, readonly string[]>(mutates(ofApp(bulk)), setup, changeThreads);
}

async function changeThreads(
  invocation: Invocation,
  flags: BulkFlags,
  given: readonly string[],
): Promise<undefined> {
  const appId = await appIdOf(invocation);

  if (flags.undo !== undefined) {
    const undone = await invocation.client().bulk.undo({ params: { appId }, body: { undo: flags.undo } });
    note(
      invocation,
      `Undid the change in ${countOf(undone.changed, "thread")}.${skippedWords(undone.skippedCount)}`,
    );
    printOne(invocation, undone, () => String(undone.changed));
    return;
  }
  const { status, tag, untag, assignee, snooze, read } = flags;
  const change = {
    ...{ status, addTags: tag && [...tag], removeTags: untag && [...untag], read },
    ...(assignee === undefined ? {} : { assignee: assignee === "none" ? null : assignee }),
    ...(snooze === undefined ? {} : { snoozedUntil: snoozeOf(invocation, snooze) }),
  };
  if (Object.values(change).every((value) => value === undefined))
    throw usageError(
      "There is nothing to change.",
      "Give --status, --tag, --untag, --assignee, --snooze or --read.",
    );
  const which = await chosen(invocation, appId, { view: flags.view, given });
  const done = await invocation.client().bulk.change({ params: { appId }, body: { ...which, change } });
  note(
    invocation,
    `Changed ${countOf(done.changed, "thread")}.${skippedWords(done.skippedCount)} \`innkeep feedback bulk --undo ${done.undo}\` undoes this.`,
  );
  printOne(invocation, done, () => done.undo);
}

const skippedWords = (count: number): string => (count === 0 ? "" : ` Skipped ${count}.`);

const snoozeOf = (invocation: Invocation, until: string): string | null =>
  until === "none" ? null : endOfSnooze(until, invocation.context.clock.now());

/** Returns the ids of the named threads, or the filters of a view and how many threads it contains now. */
async function chosen(
  invocation: Invocation,
  appId: string,
  { view, given }: { readonly view: string | undefined; readonly given: readonly string[] },
) {
  if ((view === undefined) === (given.length === 0))
    throw usageError("Name either threads or a view with --view.", "`innkeep view list` lists the views.");
  if (view === undefined) {
    const ids: string[] = [];
    for (const thread of given) ids.push(await wholeThreadId(invocation, thread));
    return { ids };
  }
  const filter = await queryOfView(invocation, appId, view);
  const { threads } = invocation.client();
  const asOf = invocation.context.clock.now().toISOString();
  let total = 0;
  const read = (cursor?: string) =>
    threads.list({
      params: { appId },
      query: { ...filter, cursor, limit: String(limits.listPage.max) },
    });
  for await (const page of allPages(read)) total += page.items.length;
  return { filter, expected: { total, asOf } };
}
