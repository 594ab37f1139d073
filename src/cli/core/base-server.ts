import { ServerError } from "../../client/errors.ts";
import { CliError } from "./cli-error.ts";

/** A feature that a server with only the base API does not have, and how to work without it. (rule L60) */
interface MissingFeature {
  readonly code: string;
  readonly message: string;
  readonly next: string;
}

const lists: MissingFeature = {
  code: "no_agent_lists",
  message: "This server does not list feedback or proposals for agents: it has only the base API.",
  next: "Copy the link of a thread from its console, and read it with `innkeep agent thread LINK`.",
};

const work: MissingFeature = {
  code: "no_run_work",
  message: "This server does not accept claims, progress and outcomes: it has only the base API.",
  next: "Carry the plan out if `innkeep agent decision RUN` says approved, and tell the team in another way.",
};

/**
 * Calls an endpoint that returns a list. Throws a CliError that explains it if the server does not have this endpoint.
 */
export async function explainMissingList<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw isUnknownEndpoint(error) && error.code !== "not_found" ? missingFeatureError(lists, error) : error;
  }
}

/**
 * Sends a request about the work on a proposal. Throws a CliError that explains it if the server does not have such
 * endpoints. If `exists` can read the proposal, a 404 is not about the proposal but about the endpoint.
 */
export async function explainMissingWork<T>(
  call: () => Promise<T>,
  exists: () => Promise<unknown>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isUnknownEndpoint(error)) throw error;
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
