import { ApiError } from "../../../src/contract/errors.ts";
import type { RateLimitName } from "../../../src/contract/limits.ts";

const then = "Wait as long as Retry-After says, then send it again.";

/** An agent has several limits. The sentence says which one is used up, and what still works. */
const sentences: Partial<Record<RateLimitName, string>> = {
  proposals: `This token has made as many proposals as it may in an hour. Reading still works. ${then}`,
  agentReads: `This token has read as often as it may in an hour. ${then}`,
  runWork: `This token has claimed runs and reported on them as often as it may in an hour. Reading still works. ${then}`,
};

/** The refusal with the sentence of the limit that is used up. */
export function namingLimit(error: ApiError, limit: RateLimitName | undefined): ApiError {
  const message = limit && sentences[limit];
  return error.code === "rate_limited" && message !== undefined
    ? new ApiError("rate_limited", { ...error.details, message })
    : error;
}
