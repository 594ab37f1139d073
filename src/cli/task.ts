import type { Command } from "commander";
import type { Client } from "../client/call.ts";
import { routes } from "../client/routes.ts";
import { longPoll, type PollResult } from "../client/wait.ts";
import { usageError } from "./core/cli-error.ts";
import { commandAction, forTester, type Setup } from "./core/command.ts";
import { lastingClient } from "./core/connection.ts";
import type { Invocation } from "./core/context.ts";
import { wholeNumber } from "./core/flags.ts";
import { canAsk } from "./core/input.ts";
import { note } from "./core/output.ts";
import { asLoggedJson } from "./core/plain-text.ts";
import { withTestKeys } from "./testing/omit-test-key.ts";
import { listTasks, shownTasks, type TaskFlags, type Tasks } from "./testing/tasks.ts";

export function addTask(task: Command, given: Setup): void {
  const setup = forTester(given);
  const list = withTestKeys(task.command("list").alias("ls").description(routes.tester.tasks.summary))
    .option("--day <number>", "as of this day of each test", wholeNumber)
    .option("--watch", "stay, and show what changes; off a terminal one JSON object for each change");
  commandAction<TaskFlags>(list, setup, async (invocation, flags) => {
    if (!flags.watch) return listTasks(invocation, flags);
    return watchTasks(invocation, flags);
  });
}

/**
 * Watches the tasks until it is interrupted: on a screen in a terminal, else with a line of JSON for each change.
 */
async function watchTasks(invocation: Invocation, flags: TaskFlags): Promise<undefined> {
  if (flags.day !== undefined) throw usageError("--watch shows today. Leave out --day.");
  const { context } = invocation;
  const results = (signal: AbortSignal) => pollTasks(invocation, flags, signal);
  if (!isScreen(invocation)) return writeChanges(invocation, results(context.signal));
  // Loads the library for screens, which nothing else needs.
  const { showTasks } = await import("./testing/task-screen.lazy.tsx");
  await showTasks({ results, now: context.clock.now, signal: context.signal });
}

/** Every 30 seconds, or when a server that cannot answer wants to be asked again. Ends only by the signal. */
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

/** The loop waits and asks again: the call itself is not repeated, so that a failure is shown at once. */
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
