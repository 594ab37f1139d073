import type { Command } from "commander";
import { routes } from "../../client/routes.ts";
import { commandAction, type Setup } from "../core/command.ts";
import type { Invocation } from "../core/context.ts";
import { mutates, ofApp } from "../core/flags.ts";
import { addExamples } from "../core/help.ts";
import { note, printOne } from "../core/output.ts";
import { wholeThreadId } from "./thread-ids.ts";
import { threadText } from "./thread-text.ts";

/** Adds `feedback merge` and `feedback unmerge`. */
export function addMerge(feedback: Command, setup: Setup): void {
  const merge = feedback
    .command("merge <thread> <into>")
    .description(routes.threads.merge.summary)
    .addHelpText("after", mergeNotes);
  addExamples(merge, "innkeep feedback merge 14 12 --app Larder");
  commandAction<object, string>(mutates(ofApp(merge)), setup, (invocation, _, thread) =>
    mergeThread(invocation, thread, String(merge.processedArgs[1])),
  );

  const unmerge = feedback.command("unmerge <thread>").description(routes.threads.unmerge.summary);
  addExamples(unmerge, "innkeep feedback unmerge 14 --app Larder");
  commandAction<object, string>(mutates(ofApp(unmerge)), setup, (invocation, _, thread) =>
    unmergeThread(invocation, thread),
  );
}

const mergeNotes = `
Each sender sees only their own messages, and a reply goes only to the senders that you choose.
\`feedback unmerge\` undoes a merge.`;

async function mergeThread(invocation: Invocation, given: string, other: string): Promise<undefined> {
  const id = await wholeThreadId(invocation, given);
  const into = await wholeThreadId(invocation, other);
  const thread = await invocation.client().threads.merge({ params: { id }, body: { into } });
  note(
    invocation,
    `Feedback ${id} is merged into ${into}. \`innkeep feedback unmerge ${id}\` undoes the merge.`,
  );
  printOne(invocation, thread, () => threadText(thread));
}

async function unmergeThread(invocation: Invocation, given: string): Promise<undefined> {
  const id = await mergedThreadId(invocation, given);
  const thread = await invocation.client().threads.unmerge({ params: { id } });
  note(invocation, `Feedback ${id} is a separate thread again.`);
  printOne(invocation, thread, () => threadText(thread));
}

/**
 * Returns the id of a merged thread. If its number is given, the server returns the thread into which it was merged,
 * which lists the merged threads.
 */
async function mergedThreadId(invocation: Invocation, given: string): Promise<string> {
  const id = await wholeThreadId(invocation, given);
  const number = /^#?(\d+)$/.exec(given)?.[1];
  if (number === undefined) return id;
  const { merged } = await invocation.client().threads.read({ params: { id } });
  return merged.find((one) => one.number === Number(number))?.id ?? id;
}
