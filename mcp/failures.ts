import { connectionReason } from "../src/client/connection.ts";
import {
  ConnectionError,
  InvalidInputError,
  MissingCredentialError,
  ServerError,
  UnexpectedAnswerError,
} from "../src/client/errors.ts";
import { errorCatalogue } from "../src/contract/errors.ts";
import type { Deps } from "./deps.ts";
import { Refusal } from "./refusals.ts";

/**
 * Describes a failure and the next step in constant sentences. Never repeats the text of the server, because it may
 * contain text of a stranger.
 */
export function explain(error: unknown, baseUrl: string): string {
  if (error instanceof Refusal) return error.message;
  if (error instanceof ServerError) return explainAnswer(error);
  if (error instanceof MissingCredentialError) return answers[401];
  if (error instanceof InvalidInputError) return answers[400];
  if (error instanceof UnexpectedAnswerError) return unexpected;
  if (error instanceof Error && error.name === "KeychainError") return keychain;
  if (error instanceof Error && "code" in error && error.code === "untrusted_server") return untrusted;
  if (error instanceof ConnectionError && answerLimits.has(error.code)) return endless;
  if (error instanceof ConnectionError && error.proxy !== undefined)
    return `The proxy ${error.proxy} for ${originOf(baseUrl)} does not work (${causeOf(error.code)}). Tell the user to check HTTP_PROXY, HTTPS_PROXY and NO_PROXY in the configuration of this MCP server, then call again.`;
  if (error instanceof ConnectionError)
    return `The server at ${originOf(baseUrl)} cannot be reached (${causeOf(error.code)}). Check INNKEEP_BASE_URL and that the server runs, then call again.`;
  return "Something went wrong inside the innkeep MCP server. Call once more; if it fails again, tell the user.";
}

const keychain =
  "The agent token is in the keychain of this system, and this MCP server could not read it. Tell the user to unlock the keychain, or, where this program has no desktop session, to set INNKEEP_AGENT_TOKEN in its configuration or to start it with --agent-token-file FILE; on Linux, DBUS_SESSION_BUS_ADDRESS may be missing in its environment. Then call again.";

const untrusted =
  "The agent token was not sent: only a file of this project names the server, and the project may come from a stranger. Ask the user whether the server is the right one, and to set INNKEEP_BASE_URL in the configuration of this MCP server.";

const answerLimits: ReadonlySet<string> = new Set(["too_large", "too_slow"]);

const endless = "The server's answer was too large or did not end. Tell the user to check INNKEEP_BASE_URL.";

/** The message for an answer that does not have the form of the API. */
const unexpected =
  "The server answered in a form that this version does not support. Tell the user to check INNKEEP_BASE_URL and to update innkeep.";

const answers = {
  400: "The server refused the request as malformed. Check the ids and the texts that you passed, then call again.",
  401: "The agent token is missing, wrong or revoked. Ask the user to create a new one in the console settings and to store it with `innkeep auth set agent-token`, then call again; or, where the configuration of this MCP server sets INNKEEP_AGENT_TOKEN, to change it there and to restart this MCP server.",
  403: "This is not allowed with this agent token, or feedback is turned off for the app. Ask an owner of the app to check the rights of the token, and whether feedback is turned on, in the console.",
  404: "There is no such thread or run, or it belongs to another owner or app. Do not guess ids; ask the user for the console link.",
  413: "The text is too long for the server. Shorten it, then call again.",
} as const;

function explainAnswer({ status, code, retryAfterSeconds }: ServerError): string {
  if (status === 400 || status === 401 || status === 403 || status === 404 || status === 413)
    return answers[status];
  if (status === 429) return limitedText("reads", retryAfterSeconds);
  if (code === "run_superseded")
    return "Nothing was posted: another proposal came first. Call read_feedback, then decide whether yours is still wanted.";
  if (status === 409 || status === 422)
    return `The server refused this in the current state (${knownCode(code)}). Read the thread again, then decide.`;
  if (status >= 500) return "The server has a problem. Call once more; if it fails again, tell the user.";
  return unexpected;
}

const knownCode = (code: string): string => (Object.hasOwn(errorCatalogue, code) ? code : "unknown code");

/**
 * Returns the reason why there was no answer, as text. An unusual code may be untrusted text, so it is not repeated.
 */
const causeOf = (code: string): string =>
  /^[A-Za-z0-9_]{1,40}$/.test(code) ? connectionReason(code) : "unknown cause";

const originOf = (baseUrl: string): string =>
  URL.canParse(baseUrl) ? new URL(baseUrl).origin : "its address";

/** The texts for a token that has reached a limit. There is one text for each limit. */
const limitTexts = {
  proposals:
    "This token has made as many proposals as the server accepts from it in an hour. Nothing was posted, and reading still works: list_feedback, read_feedback, get_decision.",
  work: "This token has claimed runs and reported on them as often as the server accepts from it in an hour. Nothing was changed, and reading still works: list_feedback, read_feedback, get_decision.",
  reads:
    "This token has read as often as the server allows in an hour. What you have read stays valid; end your turn if you cannot continue without reading more.",
} as const;

/** Returns a text with the limit that is reached, and the time to try again. */
const limitedText = (what: keyof typeof limitTexts, seconds = 60): string =>
  `${limitTexts[what]} Wait ${seconds} s, then call again; do not try sooner.`;

/**
 * Returns a function that throws a Refusal if a limit on proposals or work is reached. It throws any other error
 * unchanged.
 */
export const explainLimit =
  (what: "proposals" | "work") =>
  (error: unknown): never => {
    if (error instanceof ServerError && error.status === 429)
      throw new Refusal(limitedText(what, error.retryAfterSeconds));
    throw error;
  };

export const isNotFound = (error: unknown): boolean => error instanceof ServerError && error.status === 404;

const mostSeconds = 20;

/** Calls the server. If the server requests a short wait, waits and calls once more. Throws any other error. */
export async function retryAfterWait<T>(
  { clock }: Pick<Deps, "clock">,
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const seconds = secondsAskedFor(error);
    if (seconds === undefined || seconds > mostSeconds) throw error;
    await clock.sleep(seconds * 1_000, signal);
    return act();
  }
}

const secondsAskedFor = (error: unknown): number | undefined =>
  error instanceof ServerError && error.status === 429 ? error.retryAfterSeconds : undefined;
