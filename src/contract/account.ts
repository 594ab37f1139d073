import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { text } from "./fields.ts";
import { limits } from "./limits.ts";

export const account = {
  remove: endpoint({
    method: "POST",
    path: "/api/v1/console/account/delete",
    summary: "Delete your account permanently, with its tokens, devices and memberships",
    auth: "session",
    role: "account",
    body: z.object({
      /** The address of the account, typed again. */
      email: text(3, limits.email),
      /** For an account that has a password. */
      currentPassword: z.optional(z.string().check(z.maxLength(limits.password.max))),
      /** A code of the authenticator app or a recovery code, for an account with a second factor. */
      code: z.optional(text(1, limits.factorCode)),
    }),
    success: { status: 204 },
    errors: [
      ...(["invalid_credentials", "second_factor_required", "invalid_second_factor"] as const),
      ...(["last_owner", "wrong_state", "rate_limited"] as const),
    ],
  }),
} as const;
