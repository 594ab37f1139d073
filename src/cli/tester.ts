import type { Command } from "commander";
import type { Client } from "../client/call.ts";
import { routes } from "../client/routes.ts";
import { longPoll, type PollResult } from "../client/wait.ts";
import { usageError } from "./core/cli-error.ts";
import { commandAction, forTester, type Setup } from "./core/command.ts";
import { lastingClient } from "./core/connection.ts";
import type { Invocation } from "./core/context.ts";
import { wholeNumber } from "./core/flags.ts";
import { addExamples } from "./core/help.ts";
import { canAsk } from "./core/input.ts";
import { type Column, note, printList } from "./core/output.ts";
import { asLoggedJson } from "./core/plain-text.ts";
import { omitTestKey, type TestKeyFlags, withTestKeys } from "./omit-test-key.ts";
import type { ShownTask, Tasks } from "./testing/task-screen.lazy.tsx";

export function addTask(task: Command, given: Setup): void {
  const setup = forTester(given);
  const list = withTestKeys(task.command("list").alias("ls").description(routes.tester.tasks.summary))
    .option("--day <number>", "the tasks of this day of each test", wholeNumber)
    .option(
      "--watch",
      "keep running and show changes; without a terminal, print one JSON object for each change",
    );
  addExamples(list, "innkeep task list", "innkeep task list --watch");
  commandAction<TaskFlags>(list, setup, async (invocation, flags) => {
    if (!flags.watch) return listTasks(invocation, flags);
    return watchTasks(invocation, flags);
  });
}

interface TaskFlags extends TestKeyFlags {
  readonly day?: number;
  readonly watch?: boolean;
}

/** Shows the tasks of today, or of an earlier day of each test. */
async function listTasks(invocation: Invocation, flags: TaskFlags): Promise<undefined> {
  const { day } = flags;
  if (day !== undefined && day < 1) throw usageError("--day: the days of a test are counted from 1.");
  const query = day === undefined ? {} : { day: String(day) };
  const { tasks, outstanding } = shownTasks(await invocation.client().tester.tasks({ query }), flags);
  printList(invocation, { items: tasks, columns, extra: { outstanding }, name: "tasks" });
  if (tasks.length > 0) note(invocation, outstandingInWords(outstanding));
}

type Answer = Awaited<ReturnType<Client["tester"]["tasks"]>>;

/** Returns the tasks without their test keys, unless the flag asks for the keys. */
const shownTasks = ({ tasks, outstanding }: Answer, flags: TestKeyFlags): Tasks => ({
  tasks: tasks.map((task) => omitTestKey(task, flags)),
  outstanding,
});

const outstandingInWords = (outstanding: number): string =>
  outstanding === 0 ? "There is nothing to do." : `Tasks that are still open: ${outstanding}.`;

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

/**
 * Shows the tasks until the command is interrupted. A terminal shows a screen. Otherwise each change is written as one
 * line of JSON.
 */
async function watchTasks(invocation: Invocation, flags: TaskFlags): Promise<undefined> {
  if (flags.day !== undefined) throw usageError("--watch shows today. Leave out --day.");
  const { context } = invocation;
  const results = (signal: AbortSignal) => pollTasks(invocation, flags, signal);
  if (!isScreen(invocation)) return writeChanges(invocation, results(context.signal));
  // The library for screens is loaded only here, because nothing else needs it.
  const { showTasks } = await import("./testing/task-screen.lazy.tsx");
  await showTasks({ results, now: context.clock.now, signal: context.signal });
}

/** Sends a request every 30 seconds, or at the time that a busy server names. Ends only when the signal aborts. */
function pollTasks(invocation: Invocation, flags: TaskFlags, signal: AbortSignal) {
  const client = lastingClient(invocation);
  return longPoll({
    ask: () => askOnce(client, flags, signal),
    holdSeconds: () => 0,
    leftMs: () => Number.POSITIVE_INFINITY,
    pauses: { firstMs: 30_000, growth: 1, mostMs: 30_000 },
    clock: invocation.context.clock,
    signal,
  });
}

/** Sends one request without retries, so that a failure is shown at once. `pollTasks` repeats the request. */
const askOnce = async (client: Client, flags: TaskFlags, signal: AbortSignal): Promise<Tasks> =>
  shownTasks(await client.tester.tasks({ signal, repeatAfter: () => false }), flags);

const isScreen = (invocation: Invocation): boolean =>
  canAsk(invocation) &&
  invocation.context.io.stdout.isTerminal &&
  invocation.context.env.TERM !== "dumb" &&
  !invocation.flags.json;

async function writeChanges(
  invocation: Invocation,
  results: AsyncIterable<PollResult<Tasks>>,
): Promise<undefined> {
  const { env, io } = invocation.context;
  let shown = "";
  let shownProblem = "";
  for await (const result of results) {
    const problem = "failure" in result ? result.failure.message : "";
    if (problem !== shownProblem && problem !== "") note(invocation, problem);
    shownProblem = problem;
    const text = "value" in result ? JSON.stringify(result.value) : shown;
    if (text !== shown) io.stdout.write(`${asLoggedJson(env, text)}\n`);
    shown = text;
  }
}
