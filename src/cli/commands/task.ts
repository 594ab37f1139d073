import type { Command } from "commander";
import { routes } from "../../client/routes.ts";
import { wholeNumber } from "../flags.ts";
import { forTester, onRun, type Setup } from "../on-run.ts";
import { listTasks, type TaskFlags } from "../tester/tasks.ts";
import { withTestKeys } from "../tester/test-keys.ts";

export function addTask(task: Command, given: Setup): void {
  const setup = forTester(given);
  const list = withTestKeys(task.command("list").alias("ls").description(routes.tester.tasks.summary))
    .option("--day <number>", "as of this day of each test", wholeNumber)
    .option("--watch", "stay, and show what changes; off a terminal one JSON object for each change");
  onRun<TaskFlags>(list, setup, async (invocation, flags) => {
    if (!flags.watch) return listTasks(invocation, flags);
    return (await import("../tester/watch.ts")).watchTasks(invocation, flags);
  });
}
