import { ApiError } from "../src/contract/errors.ts";

/** The answer to a request that is refused only because the server's clock has jumped. */
export const doubtfulTime = (): ApiError =>
  new ApiError("busy", {
    message: "The server's clock has jumped and is being watched. Nothing was changed; send it again later.",
    retryAfterSeconds: 60,
  });
