import { ServerError } from "../../client/errors.ts";
import { CliError } from "../core/cli-error.ts";

/** What a server lacks that has only the base API, and how to work without it. */
interface Lacking {
  readonly code: string;
  readonly message: string;
  readonly next: string;
}

const lists: Lacking = {
  code: "no_agent_lists",
  message: "This server does not list feedback or proposals for agents: it has only the base API.",
  next: "Take the link of a thread from its console, and read it with `innkeep agent thread LINK`.",
};

const work: Lacking = {
  code: "no_run_work",
  message: "This server takes no claims, progress and outcomes: it has only the base API.",
  next: "Carry the plan out if `innkeep agent decision RUN` says approved, and tell people in another way.",
};

/** Calls a list. Says in one sentence if the server has no such list. */
export async function askingList<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw isUnknownAddress(error) && error.code !== "not_found" ? lackingError(lists, error) : error;
  }
}

/**
 * Reports the work on a proposal. Says in one sentence if the server takes no such reports: its 404 is about the address
 * if `exists` can read the proposal.
 */
export async function reportingWork<T>(call: () => Promise<T>, exists: () => Promise<unknown>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isUnknownAddress(error)) throw error;
    const isThere = await exists().then(
      () => true,
      () => false,
    );
    throw isThere || error.code !== "not_found" ? lackingError(work, error) : error;
  }
}

const isUnknownAddress = (error: unknown): error is ServerError =>
  error instanceof ServerError && [404, 405, 501].includes(error.status);

const lackingError = (lacking: Lacking, { status }: ServerError): CliError =>
  new CliError({ exit: "notFound", ...lacking, status });
