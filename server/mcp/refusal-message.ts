import type { Context } from "koa";
import type { ApiError, ErrorCode } from "../../src/contract/errors.ts";
import { metadataAddress } from "../access/oauth/metadata.ts";
import { sentencesOf } from "../http/errors.ts";
import type { Settings } from "../settings/settings.ts";

/** The codes of JSON-RPC for what a client did wrong before its message was read. */
const codes: Partial<Record<ErrorCode, number>> = { bad_request: -32_600, internal: -32_603, busy: -32_603 };
const otherCode = -32_000;

/** Answers an error in the form of the protocol: with the status of the API, and as JSON-RPC. */
export function refusalMessage(ctx: Context, error: ApiError, settings: Pick<Settings, "baseUrl">): void {
  const { status, code } = error;
  const { retryAfterSeconds } = error.details;
  ctx.status = status;
  ctx.set("Cache-Control", "no-store");
  if (retryAfterSeconds !== undefined) ctx.set("Retry-After", String(retryAfterSeconds));
  if (status === 401) ctx.set("WWW-Authenticate", challengeOf(ctx, settings));
  ctx.body = {
    jsonrpc: "2.0",
    id: null,
    error: {
      code: codes[code] ?? otherCode,
      message: sentencesOf(error).join(" "),
      data: { code },
    },
  };
}

/** Says where a program can read how it gets a token. (RFC 9728 5.1) */
function challengeOf({ req }: Context, settings: Pick<Settings, "baseUrl">): string {
  const fault = req.headers.authorization === undefined ? "" : ' error="invalid_token",';
  return `Bearer realm="innkeep",${fault} resource_metadata="${metadataAddress(settings)}"`;
}
