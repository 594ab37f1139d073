// GitHub Actions runs this file before the first step of a job that uses this action.
import { recordStart } from "../src/cli/core/github-actions.ts";
import { contextOfAction, runProcess } from "./process.ts";

void runProcess(async (signal) => {
  await recordStart(contextOfAction(signal));
  return 0;
});
