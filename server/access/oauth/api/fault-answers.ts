import type { Context } from "koa";
import type { ApiError, ErrorCode } from "../../../../src/contract/errors.ts";
import type { Deps } from "../../../deps.ts";
import { answerErrors, sentencesOf } from "../../../http/errors.ts";
import { type OAuthCode, OAuthFault } from "./oauth-fault.ts";

/**
 * Runs `act`, and answers what it throws in the form of OAuth, which programs read. `wrong` is the code for a malformed
 * request. (RFC 6749 5.2)
 */
export function createFaultAnswers(deps: Pick<Deps, "log">) {
  return (ctx: Context, wrong: OAuthCode, act: () => Promise<void>): Promise<void> =>
    answerErrors(deps, (_, error) => answerFault(ctx, wrong, error))(ctx, async () => {
      try {
        await act();
      } catch (thrown) {
        if (!(thrown instanceof OAuthFault)) throw thrown;
        const { code, message } = thrown;
        send(ctx, { status: code === "invalid_client" ? 401 : 400, code, message });
      }
    });
}

/** Answers an error of the API to a program. Gives true: it has answered. */
export function answerFault(
  ctx: Context,
  wrong: OAuthCode,
  { code, status, message, details }: ApiError,
): true {
  const said = sentencesOf({ message, details });
  if (status === 500) said.push(`The requestId is ${ctx.state.requestId}.`);
  send(ctx, { status, code: oauthCodeOf(code, status, wrong), message: said.join(" ") });
  return true;
}

const waitingCodes: ReadonlySet<ErrorCode> = new Set(["rate_limited", "busy"]);

/** A program that must only wait keeps its tokens. */
function oauthCodeOf(code: ErrorCode, status: number, wrong: OAuthCode): OAuthCode {
  if (waitingCodes.has(code)) return "temporarily_unavailable";
  return status >= 500 ? "server_error" : wrong;
}

interface Fault {
  readonly status: number;
  readonly code: OAuthCode;
  readonly message: string;
}

function send(ctx: Context, { status, code, message }: Fault): void {
  // A program that sent credentials in a header must be told of which kind they can be.
  if (status === 401 && ctx.req.headers.authorization !== undefined)
    ctx.set("WWW-Authenticate", 'Basic realm="innkeep"');
  ctx.set("Cache-Control", "no-store");
  ctx.status = status;
  // OAuth allows no other characters in it.
  ctx.body = { error: code, error_description: message.replace(/[^ !#-[\]-~]/g, "'") };
}
