import { asLoggedJson } from "../../core/ci/ci-log.ts";
import { usageError } from "../../core/failures/cli-error.ts";
import { canAsk } from "../../core/input/confirm.ts";
import { note } from "../../core/output/output.ts";
import type { Invocation } from "../../core/program/context.ts";
import { type Poll, pollsOf } from "./polling.ts";
import { shownTasks, type TaskFlags, type Tasks } from "./tasks.ts";

/** Stays until it is interrupted: a screen on a terminal, else one line of JSON for each change. */
export async function watchTasks(invocation: Invocation, flags: TaskFlags): Promise<undefined> {
  if (flags.day !== undefined) throw usageError("--watch shows today: it goes without --day.");
  const { context } = invocation;
  const looks = (signal: AbortSignal) =>
    pollsOf((asking) => askOnce(invocation, flags, asking), { clock: context.clock, signal });
  if (!isScreen(invocation)) return writeChanges(invocation, looks(context.signal));
  // With the library for screens inside, which nothing else needs.
  const { showTasks } = await import("../../views/task-watch.tsx");
  await showTasks({ looks, now: context.clock.now, signal: context.signal });
}

/** A watch has its own way to wait: a failure is shown at once. */
const askOnce = async (invocation: Invocation, flags: TaskFlags, signal: AbortSignal): Promise<Tasks> =>
  shownTasks(await invocation.client().tester.tasks({ signal, repeatAfter: () => false }), flags);

const isScreen = (invocation: Invocation): boolean =>
  canAsk(invocation) &&
  invocation.context.io.stdout.isTerminal &&
  invocation.context.env.TERM !== "dumb" &&
  !invocation.flags.json;

async function writeChanges(invocation: Invocation, looks: AsyncIterable<Poll<Tasks>>): Promise<undefined> {
  const { env, io } = invocation.context;
  let shown = "";
  let told = "";
  for await (const look of looks) {
    const problem = "problem" in look ? look.problem : "";
    if (problem !== told && problem !== "") note(invocation, problem);
    told = problem;
    const text = "seen" in look ? JSON.stringify(look.seen) : shown;
    if (text !== shown) io.stdout.write(`${asLoggedJson(env, text)}\n`);
    shown = text;
  }
}
