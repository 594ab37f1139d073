import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { instant, text } from "./fields.ts";
import { limits } from "./limits.ts";

/** Six digits of an authenticator app, or a recovery code. */
export const factorCode = text(1, limits.factorCode);

export const SecondFactor = z.object({
  /** The authenticator app. Null without a second factor. */
  totp: z.nullable(z.object({ createdAt: instant })),
  /** How many recovery codes are unused. */
  recoveryCodesLeft: z.int(),
});

/** Shown only once. Each code works once. */
const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });

export const secondFactor = {
  find: endpoint({
    method: "GET",
    path: "/api/v1/console/second-factor",
    summary: "Read whether your account has a second factor",
    auth: "session",
    role: "account",
    success: { status: 200, body: SecondFactor },
    errors: [],
  }),
  begin: endpoint({
    method: "POST",
    path: "/api/v1/console/second-factor/totp",
    summary: "Make the secret for an authenticator app; it counts after it is confirmed",
    auth: "session",
    role: "account",
    body: z.object({
      /** Needed if the account has a password. */
      currentPassword: z.optional(z.string().check(z.maxLength(limits.password.max))),
    }),
    success: {
      status: 201,
      /** The secret in base32, and as an address that authenticator apps read from a QR code. */
      body: z.object({ secret: z.string(), uri: z.string() }),
    },
    errors: ["invalid_credentials", "wrong_state", "rate_limited"],
    answersSecret: true,
  }),
  confirm: endpoint({
    method: "POST",
    path: "/api/v1/console/second-factor/totp/confirm",
    summary: "Turn the second factor on with a code of the app, and end all other sessions",
    auth: "session",
    role: "account",
    body: z.object({ code: factorCode }),
    success: { status: 201, body: RecoveryCodes },
    errors: ["invalid_second_factor", "wrong_state", "rate_limited"],
    answersSecret: true,
  }),
  renewRecoveryCodes: endpoint({
    method: "POST",
    path: "/api/v1/console/second-factor/recovery-codes",
    summary: "Replace your recovery codes by ten new ones",
    auth: "session",
    role: "account",
    body: z.object({ code: factorCode }),
    success: { status: 201, body: RecoveryCodes },
    errors: ["invalid_second_factor", "wrong_state", "rate_limited"],
    answersSecret: true,
  }),
  remove: endpoint({
    method: "POST",
    path: "/api/v1/console/second-factor/remove",
    summary: "Turn the second factor off",
    auth: "session",
    role: "account",
    body: z.object({ code: factorCode }),
    success: { status: 204 },
    errors: ["invalid_second_factor", "wrong_state", "rate_limited"],
  }),
} as const;
