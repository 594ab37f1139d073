import type { Context } from "koa";
import { ApiError } from "../../../../src/contract/errors.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { senderOf } from "../../../http/body/incoming-body.ts";
import {
  counted,
  mediaTypeOf,
  readBytes,
  refuseEncoded,
  type Sending,
} from "../../../http/body/read-body.ts";
import type { Door } from "../../../http/mount.ts";
import { OAuthFault } from "./oauth-fault.ts";

/** The fields of a form of a program, each given once. */
export interface Form {
  /** The value of a field; empty without it. Throws an OAuthFault for one that is given twice. */
  one(name: string): string;
  /** The same for a field that must be there. Throws an OAuthFault without it. */
  needed(name: string): string;
}

export const sendingOf = ({ req }: Context, { arrivals, addressOf }: Door): Sending => ({
  arrivals,
  sender: senderOf(undefined, addressOf(req)),
});

/** Reads the form of a program. Throws ApiErrors for a body that is none. */
export async function formOf(ctx: Context, door: Door): Promise<Form> {
  const sending = sendingOf(ctx, door);
  const bytes = await counted(sending, async () => {
    refuseEncoded(ctx.req);
    if (mediaTypeOf(ctx.req) !== "application/x-www-form-urlencoded")
      throw new ApiError("unsupported_media_type");
    return readBytes(ctx.req, limits.anonymousBody, sending);
  });
  const fields = new URLSearchParams(bytes.toString("utf8"));
  const one = (name: string) => {
    const values = fields.getAll(name);
    if (values.length > 1) throw new OAuthFault("invalid_request", `Send \`${name}\` once.`);
    return values[0] ?? "";
  };
  return {
    one,
    needed(name) {
      const value = one(name);
      if (value === "") throw new OAuthFault("invalid_request", `Send \`${name}\`.`);
      return value;
    },
  };
}
