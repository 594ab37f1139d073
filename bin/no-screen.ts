import { usageError } from "../src/cli/core/cli-error.ts";

/** Replaces the screens in the executable: their library exists only as ES modules, which it cannot contain. */
const noScreen = (): Promise<void> =>
  Promise.reject(
    usageError("This executable has no screens. Install the package with npm, or use commands with --json."),
  );

export const showTasks = noScreen;
export const showScreen = noScreen;
