import type { Command } from "commander";
import { commandAction, type Setup } from "../core/command.ts";
import type { Invocation } from "../core/context.ts";
import { instantOf, mutates, ofApp } from "../core/flags.ts";
import { addExamples } from "../core/help.ts";
import { note, printOne } from "../core/output.ts";
import { wholeThreadId } from "./thread-ids.ts";
import { threadText } from "./thread-text.ts";

/** Adds `feedback snooze`. */
export function addSnooze(feedback: Command, setup: Setup): void {
  const snooze = feedback
    .command("snooze <thread> <until>")
    .description("Hide a thread from triage until a time or until its sender writes. `none` ends the snooze")
    .addHelpText("after", snoozeNotes);
  addExamples(
    snooze,
    "innkeep feedback snooze 01a1fda4 3d",
    "innkeep feedback snooze 01a1fda4 2026-12-01",
    "innkeep feedback snooze 01a1fda4 none",
  );
  commandAction<object, string>(mutates(ofApp(snooze)), setup, (invocation, _, thread) =>
    snoozeThread(invocation, thread, String(snooze.processedArgs[1])),
  );
}

const snoozeNotes = `
The end is a time in ISO 8601, a day (its start in UTC), or a duration from now: 90m, 4h, 3d, 2w.
At the end, the thread becomes unread for all members.`;

/** Snoozes a thread until a time, or ends its snooze (`none`). */
async function snoozeThread(invocation: Invocation, given: string, until: string): Promise<undefined> {
  const snoozedUntil = until === "none" ? null : endOfSnooze(until, invocation.context.clock.now());
  const id = await wholeThreadId(invocation, given);
  const thread = await invocation.client().threads.update({ params: { id }, body: { snoozedUntil } });
  const end = thread.feedback.snoozedUntil;
  note(
    invocation,
    end === null ? `Feedback ${id} is not snoozed.` : `Feedback ${id} is snoozed until ${end}.`,
  );
  printOne(invocation, thread, () => threadText(thread));
}

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Returns the instant at which the snooze ends. The argument is an instant, a day, or a duration from now. */
export function endOfSnooze(given: string, now: Date): string {
  const [, number, unit = ""] = /^(\d{1,5})([mhdw])$/.exec(given) ?? [];
  const seconds = unitSeconds[unit];
  if (number === undefined || seconds === undefined) return instantOf("<until>", given) ?? given;
  return new Date(now.getTime() + Number(number) * seconds * 1_000).toISOString();
}
