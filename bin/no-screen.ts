import { usageError } from "../src/cli/core/failures/cli-error.ts";

/** In the executable, in place of the screen of `task list --watch`: its library exists only as modules for ES. */
export function showTasks(): Promise<void> {
  return Promise.reject(
    usageError("This executable has no screen for --watch. Add --json, or install the package with npm."),
  );
}
