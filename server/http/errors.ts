import type { Context, Next } from "koa";
import { ApiError, type ErrorCode } from "../../src/contract/errors.ts";
import { isUnavailable } from "../database/errors.ts";
import type { Deps } from "../deps.ts";
import { FilesUnavailable } from "../files/files.ts";

/** Returns the body of an error: `{error, code}`, and the additional fields of the code. (rule H2) */
export const errorBody = ({ message, code, details }: ApiError) => ({
  error: message,
  code,
  ...(details.issues ? { issues: details.issues } : {}),
  ...(details.dayIndex === undefined ? {} : { dayIndex: details.dayIndex }),
  ...(details.runId === undefined ? {} : { runId: details.runId }),
  ...(details.mayResume ? { mayResume: true } : {}),
  ...(details.entryId === undefined ? {} : { entryId: details.entryId }),
  ...(details.step === undefined ? {} : { step: details.step }),
  ...(details.reasons ? { reasons: details.reasons } : {}),
});

/**
 * Returns the message of an error as sentences. Pages and mails use them, because they do not show the field `issues`.
 */
export function sentencesOf({ message, details }: Pick<ApiError, "message" | "details">): string[] {
  const { issues = [] } = details;
  if (issues.length === 0) return [message];
  return issues.map((issue) => `${issue.path} ${issue.message}.`.trim().replace(/\.\.$/, "."));
}

/** Answers with an error page if the client is a browser. Returns whether it has answered. */
export type AnswerWithPage = (ctx: Context, error: ApiError) => boolean | Promise<boolean>;

/** Answers a thrown error with a page or JSON. The cause of the error is only in the log. */
export function answerErrors(deps: Pick<Deps, "log">, answerWithPage: AnswerWithPage) {
  const hasPage = async (ctx: Context, error: ApiError): Promise<boolean> => {
    try {
      return await answerWithPage(ctx, error);
    } catch (thrown) {
      logServerError(deps, ctx, { error: asApiError(thrown), thrown });
      return false;
    }
  };
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (thrown) {
      const error = asApiError(thrown);
      logServerError(deps, ctx, { error, thrown });
      if (ctx.res.headersSent) return void ctx.req.destroy();
      setHeaders(ctx, error);
      if (!(await hasPage(ctx, error))) answerWithJson(ctx, error);
    }
  };
}

/** Returns the ApiError for any thrown value. (rule H29) */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof UploadFailure) return uploadError(thrown);
  if (thrown instanceof FilesUnavailable || isUnavailable(thrown)) {
    return new ApiError("busy", { retryAfterSeconds: 1 }, { cause: thrown });
  }
  if (isAborted(thrown)) {
    return new ApiError("busy", { message: endedByStop, retryAfterSeconds: 2 }, { cause: thrown });
  }
  return new ApiError("internal", {}, { cause: thrown });
}

// The message does not say that nothing was changed, because some requests need several transactions.
const endedByStop =
  "The server is stopping, so it has not finished this request. Send the request again soon.";

/**
 * Whether an error comes from the signal of a request. This signal aborts when the server stops, or when the client
 * has disconnected. In the second case, nobody reads the answer.
 */
const isAborted = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === "AbortError";

function uploadError(failure: UploadFailure): ApiError {
  if (failure.fault === "too_large") return new ApiError("payload_too_large", { message: failure.message });
  return new ApiError(
    "bad_request",
    { issues: [{ path: "", message: failure.message }] },
    { cause: failure },
  );
}

function setHeaders(ctx: Context, { details }: ApiError): void {
  const { allow, retryAfterSeconds } = details;
  if (allow) ctx.set("Allow", allow.join(", "));
  if (retryAfterSeconds !== undefined) ctx.set("Retry-After", String(retryAfterSeconds));
}

function answerWithJson(ctx: Context, error: ApiError): void {
  ctx.set("Cache-Control", "no-store");
  const challenge = challenges.get(error.code);
  if (challenge !== undefined) ctx.set("WWW-Authenticate", challenge);
  ctx.status = error.status;
  const requestId = error.status === 500 ? { requestId: ctx.state.requestId } : {};
  ctx.body = { ...errorBody(error), ...requestId };
}

/**
 * The value of the header `WWW-Authenticate` for each error code. It says which authentication scheme the
 * client must use.
 */
const challenges: ReadonlyMap<string, string> = new Map([
  ["invalid_token", 'Bearer realm="innkeep"'],
  ["sign_in_required", 'Bearer realm="innkeep"'],
  ["invalid_api_key", 'ApiKey realm="innkeep", header="x-api-key"'],
] satisfies [ErrorCode, string][]);

/** Logs a server error with its cause. Does not log an error that a developer has requested for a test. */
function logServerError(
  { log }: Pick<Deps, "log">,
  ctx: Context,
  { error, thrown }: { readonly error: ApiError; readonly thrown: unknown },
): void {
  if (error.status < 500 || ctx.state.isWanted) return;
  log.error(
    { requestId: ctx.state.requestId, method: ctx.method, route: ctx.state.route, err: thrown },
    error.code,
  );
}

export type UploadFault =
  | "malformed_json"
  | "malformed_multipart"
  | "too_large"
  | "too_many_files"
  | "aborted";

/**
 * The error for a request body that is malformed, too large or incomplete. The message says what the sender must
 * change.
 */
export class UploadFailure extends Error {
  readonly fault: UploadFault;

  constructor(fault: UploadFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UploadFailure";
    this.fault = fault;
  }
}
