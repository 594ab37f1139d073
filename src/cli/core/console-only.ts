import { CliError } from "./cli-error.ts";
import type { Invocation } from "./context.ts";
import { lacksConsole } from "./lacks-console.ts";

/** Runs a command about apps, keys, tokens or the audit. Says in one sentence if the server has nothing of that. */
export async function ofConsole(invocation: Invocation, run: () => Promise<undefined>): Promise<undefined> {
  try {
    return await run();
  } catch (error) {
    if (await lacksConsole(invocation, error)) throw noConsole();
    throw error;
  }
}

const noConsole = (): CliError =>
  new CliError({
    exit: "notFound",
    code: "no_console",
    message:
      "This server has no endpoints for apps, keys, tokens and the audit: another program answers there.",
    next: "Check --base-url and INNKEEP_BASE_URL.",
  });
