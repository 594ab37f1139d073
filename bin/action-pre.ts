// GitHub Actions runs this before the first step of a job that has our step.
import { recordStart } from "../src/cli/core/github-actions.ts";
import { contextOfAction, runProcess } from "./process.ts";

void runProcess(async (signal) => {
  await recordStart(contextOfAction(signal));
  return 0;
});
