import { usageError } from "../src/cli/core/cli-error.ts";

/** In the executable, in place of the screens: their library exists only as modules for ES. */
const noScreen = (): Promise<void> =>
  Promise.reject(
    usageError("This executable has no screens. Install the package with npm, or use commands with --json."),
  );

export const showTasks = noScreen;
export const showScreen = noScreen;
