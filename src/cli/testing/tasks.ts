import type { Client } from "../../client/call.ts";
import type { Task } from "../../contract/tester.ts";
import { usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { type Column, note, printList } from "../core/output.ts";
import { omitTestKey, type TestKeyFlags } from "./omit-test-key.ts";

export interface TaskFlags extends TestKeyFlags {
  readonly day?: number;
  readonly watch?: boolean;
}

/** A task without its test key, unless that was asked for. */
export type ShownTask = Omit<Task, "testKey">;

/** The tasks as the commands show them. */
export interface Tasks {
  readonly tasks: readonly ShownTask[];
  readonly outstanding: number;
}

/** Shows the tasks of today, or of an earlier day of each test. */
export async function listTasks(invocation: Invocation, flags: TaskFlags): Promise<undefined> {
  const { day } = flags;
  if (day !== undefined && day < 1) throw usageError("--day: the days of a test are counted from 1.");
  const query = day === undefined ? {} : { day: String(day) };
  const { tasks, outstanding } = shownTasks(await invocation.client().tester.tasks({ query }), flags);
  printList(invocation, { items: tasks, columns, extra: { outstanding }, name: "tasks" });
  if (tasks.length > 0) note(invocation, outstandingInWords(outstanding));
}

type Answer = Awaited<ReturnType<Client["tester"]["tasks"]>>;

/** The answer without the test keys, unless they are asked for. */
export const shownTasks = ({ tasks, outstanding }: Answer, flags: TestKeyFlags): Tasks => ({
  tasks: tasks.map((task) => omitTestKey(task, flags)),
  outstanding,
});

const outstandingInWords = (outstanding: number): string =>
  outstanding === 0 ? "Nothing is outstanding." : `Outstanding: ${outstanding}.`;

const columns: readonly Column<ShownTask>[] = [
  { heading: "slot", of: ({ slotId }) => slotId, isId: true },
  { heading: "app", of: ({ appName }) => appName },
  { heading: "day", of: ({ dayIndex, durationDays }) => `${dayIndex}/${durationDays}` },
  { heading: "screen", of: ({ targetScreen }) => targetScreen },
  { heading: "due", of: ({ dueBy }) => dueBy },
  { heading: "done", of: ({ submitted }) => (submitted ? "yes" : "no") },
  { heading: "status", of: ({ slotStatus }) => slotStatus },
  { heading: "missed", of: ({ missedDays }) => missedDays },
  { heading: "by", of: ({ verificationTier }) => verificationTier },
  { heading: "join", of: ({ joinCheckPending }) => (joinCheckPending ? "to be confirmed" : "") },
];
