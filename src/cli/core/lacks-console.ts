import { ServerError } from "../../client/errors.ts";
import type { Invocation } from "./context.ts";

/**
 * Whether an error means that the server does not know the addresses of the console at all. An unknown app looks alike, so
 * the server is asked for the list of apps.
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
