import { ServerError } from "../../client/errors.ts";
import { CliError } from "./cli-error.ts";
import type { Invocation } from "./context.ts";

/**
 * Runs a command that needs the endpoints of the console. If the server has no such endpoints, throws a CliError that
 * explains it.
 */
export async function explainMissingConsole(
  invocation: Invocation,
  run: () => Promise<undefined>,
): Promise<undefined> {
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
      "This server has no endpoints for apps, keys, tokens and the audit log. Another program may answer at this address.",
    next: "Check --base-url and INNKEEP_BASE_URL.",
  });

/**
 * Whether an error means that the server has no endpoints of the console. An unknown app causes the same error. So this
 * function also requests the list of apps.
 */
export async function lacksConsole(invocation: Invocation, error: unknown): Promise<boolean> {
  if (!isUnknownAddress(error)) return false;
  try {
    await invocation.client().apps.list();
    return false;
  } catch (other) {
    return isUnknownAddress(other);
  }
}

const isUnknownAddress = (error: unknown): boolean =>
  error instanceof ServerError && (error.status === 404 || error.status === 405 || error.status === 501);
