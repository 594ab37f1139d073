import { ServerError } from "../src/client/errors.ts";
import { Refusal } from "./refusal.ts";

/** What a token may do only so often in an hour. */
const used = {
  proposals:
    "This token has made as many proposals as the server takes from it in an hour. Nothing was posted, and reading still works: list_feedback, read_feedback, get_decision.",
  work: "This token has claimed runs and reported on them as often as the server takes from it in an hour. Nothing was changed, and reading still works: list_feedback, read_feedback, get_decision.",
  reads:
    "This token has read as often as the server allows in an hour. What you have read stays good; end your turn if nothing is left to do without it.",
} as const;

/** Which limit is used up, and when it is worth another try. */
export const limitedText = (what: keyof typeof used, seconds = 60): string =>
  `${used[what]} Wait ${seconds} s, then call again; do not try sooner.`;

/** Explains a refusal by a limit, other than that on reads. */
export const explainLimit =
  (what: "proposals" | "work") =>
  (error: unknown): never => {
    if (error instanceof ServerError && error.status === 429)
      throw new Refusal(limitedText(what, error.retryAfterSeconds));
    throw error;
  };
