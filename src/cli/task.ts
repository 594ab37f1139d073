import type { Command } from "commander";
import { routes } from "../client/routes.ts";
import { commandAction, forTester, type Setup } from "./core/command.ts";
import { wholeNumber } from "./core/flags.ts";
import { withTestKeys } from "./testing/omit-test-key.ts";
import { listTasks, type TaskFlags } from "./testing/tasks.ts";

export function addTask(task: Command, given: Setup): void {
  const setup = forTester(given);
  const list = withTestKeys(task.command("list").alias("ls").description(routes.tester.tasks.summary))
    .option("--day <number>", "as of this day of each test", wholeNumber)
    .option("--watch", "stay, and show what changes; off a terminal one JSON object for each change");
  commandAction<TaskFlags>(list, setup, async (invocation, flags) => {
    if (!flags.watch) return listTasks(invocation, flags);
    return (await import("./task-watch.ts")).watchTasks(invocation, flags);
  });
}
