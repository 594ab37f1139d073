import { ServerError } from "../../client/errors.ts";
import { CliError } from "./cli-error.ts";
import type { Invocation } from "./context.ts";

/** Calls `run`. Throws a CliError with an explanation if the server has no endpoints of the console. */
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
 * Whether the server has no console endpoints. Lists the apps, because an unknown app can cause the same
 * `error`.
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

/** A feature that a server with only the base API does not have, and how to work without it. (rule L60) */
interface MissingFeature {
  readonly code: string;
  readonly message: string;
  readonly next: string;
}

const lists: MissingFeature = {
  code: "no_agent_lists",
  message: "This server does not list feedback or proposals for agents: it has only the base API.",
  next: "Copy the link of a thread from the console of the server, and read it with `innkeep agent thread LINK`.",
};

const work: MissingFeature = {
  code: "no_run_work",
  message: "This server does not accept claims, progress and outcomes: it has only the base API.",
  next: "Carry the plan out if `innkeep agent decision RUN` says approved, and tell the team in another way.",
};

/** Calls an endpoint that returns a list. Throws a CliError if the server lacks the endpoint. */
export async function explainMissingList<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw isUnknownEndpoint(error) && error.code !== "not_found" ? missingFeatureError(lists, error) : error;
  }
}

/** Calls an endpoint for work on a proposal. Throws a CliError if the server lacks the endpoint. */
export async function explainMissingWork<T>(
  call: () => Promise<T>,
  exists: () => Promise<unknown>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isUnknownEndpoint(error)) throw error;
    // If the proposal exists, the endpoint is missing.
    const isThere = await exists().then(
      () => true,
      () => false,
    );
    throw isThere || error.code !== "not_found" ? missingFeatureError(work, error) : error;
  }
}

const isUnknownEndpoint = (error: unknown): error is ServerError =>
  error instanceof ServerError && [404, 405, 501].includes(error.status);

const missingFeatureError = (missing: MissingFeature, { status }: ServerError): CliError =>
  new CliError({ exit: "notFound", ...missing, status });
