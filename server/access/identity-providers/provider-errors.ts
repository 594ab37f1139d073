import * as openid from "openid-client";
import { ApiError } from "../../../src/contract/errors.ts";

const retryAfterSeconds = 5;

/** Turns failures of a provider into errors for the person. Nothing that the provider sent is shown or logged. */
export const providerErrors = (name: string) => {
  const unavailable = (cause: unknown) =>
    new ApiError(
      "busy",
      { message: `${name} cannot be used right now. Try again shortly.`, retryAfterSeconds },
      { cause: withoutContents(cause) },
    );
  return {
    discovering: <Result>(work: Promise<Result>): Promise<Result> =>
      work.catch((error: unknown) => {
        throw unavailable(error);
      }),
    verifying: <Result>(work: Promise<Result>): Promise<Result> =>
      work.catch((error: unknown) => {
        throw isUnavailable(error) ? unavailable(error) : refusal(name, error);
      }),
  };
};

function refusal(name: string, error: unknown): ApiError {
  const cause = withoutContents(error);
  if (error instanceof openid.AuthorizationResponseError)
    return new ApiError(
      "forbidden",
      { message: `${name} did not sign you in. You can try again.` },
      { cause },
    );
  const message = `This sign-in with ${name} could not be verified, or was used before. Start it again.`;
  return new ApiError("bad_request", { message }, { cause });
}

/**
 * Whether the provider cannot be used: the network fails, it times out, it has an error of its own, or it does not accept
 * this deployment. The person cannot fix any of these.
 */
function isUnavailable(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof openid.WWWAuthenticateChallengeError) return true;
  if (error instanceof openid.AuthorizationResponseError)
    return ["server_error", "temporarily_unavailable"].includes(error.error);
  if (error instanceof openid.ResponseBodyError)
    return error.status >= 500 || ["invalid_client", "unauthorized_client"].includes(error.error);
  if (!(error instanceof openid.ClientError)) return false;
  const { code, cause } = error;
  return code === "OAUTH_TIMEOUT" || (cause instanceof Response && cause.status >= 500);
}

/** The kind of an error, without the provider's answer, which may hold codes and tokens. */
function withoutContents(error: unknown): Error {
  if (!(error instanceof Error)) return new Error("not an error");
  const code = "code" in error ? ` (${error.code})` : "";
  const under = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return new Error(error.message + code + kindOf(error) + under);
}

/** An error code of the standard, such as `invalid_client`. */
function kindOf(error: Error): string {
  if (error instanceof openid.ResponseBodyError) return `: ${error.error.slice(0, 60)}`;
  if (!(error instanceof openid.WWWAuthenticateChallengeError)) return "";
  return `: ${error.cause[0]?.parameters.error ?? "challenged"}`;
}
