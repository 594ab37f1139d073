import { usageError } from "../src/cli/core/cli-error.ts";

/**
 * Replaces interactive screens. Their library exists only as ES modules, which the executable cannot contain.
 */
const noScreen = (): Promise<void> =>
  Promise.reject(
    usageError(
      "This executable does not contain the screens. Install the package with npm, or use commands with --json.",
    ),
  );

export const showTasks = noScreen;
export const showScreen = noScreen;
