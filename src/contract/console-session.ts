import * as z from "zod/mini";
import { factorCode, PasskeyProof, PasskeyRequest } from "./account.ts";
import { endpoint, maintainerScopes } from "./endpoint.ts";
import { memberName, omittable, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";
import { Registration } from "./sign-in.ts";

const { email, password } = Registration.shape;

const token = text(1, 100);

const attempts = [{ limit: "linksByAddress", by: ["address"] }] as const;

export const User = z.object({
  id: uuid,
  email: z.string(),
  /** The name that the person chose. Null if the person has chosen no name. */
  name: z.nullable(z.string()),
});

const newPassword = z
  .string()
  .check(
    z.minLength(limits.password.min, `must have at least ${limits.password.min} characters`),
    z.maxLength(limits.password.max, `must have at most ${limits.password.max} characters`),
  );

const exampleLinkToken = "VGhpcyBpcyBubyByZWFsIHRva2VuIG9mIGEgbGluay4";

export const session = {
  create: endpoint({
    method: "POST",
    path: "/api/v1/console/session",
    summary: "Sign in to the console",
    auth: "none",
    body: z.object({
      email: text(1, limits.email),
      password: z.string().check(z.minLength(1), z.maxLength(limits.password.max)),
      /** Needed if the account has a second factor. */
      code: z.optional(factorCode),
    }),
    success: { status: 201, body: z.object({ user: User }) },
    errors: [
      ...(["invalid_credentials", "second_factor_required", "invalid_second_factor"] as const),
      ...(["rate_limited", "forbidden"] as const),
    ],
    example: { request: { email: "ada@example.org", password: "a long passphrase of her own" } },
  }),
  finish: endpoint({
    method: "POST",
    path: "/api/v1/console/session/second-factor",
    summary: "Finish a sign-in with the second factor, within ten minutes after the first step",
    auth: "none",
    body: z.object({
      /** The value of `step` in the error `second_factor_required`, which is the answer to the first step. */
      step: text(1, limits.signInStep),
      /** Exactly one of `code` and `passkey` is needed. */
      code: z.optional(factorCode),
      passkey: z.optional(PasskeyProof),
    }),
    success: { status: 201, body: z.object({ user: User }) },
    errors: [
      ...(["invalid_credentials", "second_factor_required", "invalid_second_factor"] as const),
      ...(["rate_limited", "forbidden"] as const),
    ],
    example: { request: { step: "dGhlIHNlYWxlZCBmaXJzdCBzdGVw", code: "287082" } },
  }),
  askPasskey: endpoint({
    method: "POST",
    path: "/api/v1/console/session/passkey",
    summary: "Get the options that a browser needs to finish a sign-in with a passkey",
    auth: "none",
    body: z.object({ step: text(1, limits.signInStep) }),
    success: {
      status: 200,
      /** Null if the account has no passkey. */
      body: z.object({ passkey: z.nullable(PasskeyRequest) }),
    },
    errors: ["invalid_credentials"],
    example: { request: { step: "dGhlIHNlYWxlZCBmaXJzdCBzdGVw" } },
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/v1/console/session",
    summary: "Sign out of the console",
    auth: "session",
    role: "account",
    success: { status: 204 },
    errors: [],
  }),
  changePassword: endpoint({
    method: "PUT",
    path: "/api/v1/console/password",
    summary: "Change the password of your account, and end its other sessions",
    auth: "session",
    role: "account",
    body: z.object({
      currentPassword: z
        .string()
        .check(z.minLength(1, "must not be empty"), z.maxLength(limits.password.max)),
      newPassword,
    }),
    success: { status: 204 },
    errors: ["invalid_credentials", "rate_limited"],
    example: {
      request: {
        currentPassword: "a long passphrase of her own",
        newPassword: "a longer passphrase of her own",
      },
    },
  }),
  firstPassword: endpoint({
    method: "POST",
    path: "/api/v1/console/password",
    summary: "Set the first password of your account, within ten minutes of the sign-in",
    auth: "session",
    role: "account",
    body: z.object({
      newPassword,
      /** Needed if the account has a second factor. */
      code: z.optional(factorCode),
    }),
    success: { status: 204 },
    errors: ["wrong_state", "second_factor_required", "invalid_second_factor", "rate_limited"],
    example: { request: { newPassword: "a long passphrase of her own" } },
  }),
  me: endpoint({
    method: "GET",
    path: "/api/v1/console/me",
    summary: "Read who is signed in, and what these credentials may do",
    auth: "console",
    role: "account",
    success: {
      status: 200,
      body: z.object({
        user: User,
        scopes: z.array(z.enum(maintainerScopes)),
        /** The only app that the token may access. Null for a person and for a token for all apps. */
        app: z.nullable(z.object({ id: uuid, name: z.string() })),
        /** The token that made this request. Null for a person. */
        tokenId: z.nullable(uuid),
      }),
    },
    errors: [],
  }),
} as const;

/** The endpoints for mailed links, which create an account or replace a forgotten password. */
export const accountLinks = {
  signUp: endpoint({
    method: "POST",
    path: "/api/v1/console/sign-up",
    summary:
      "Request an account; the answer does not say whether there already is an account with this address",
    auth: "none",
    body: z.object({
      email,
      /** Used only by a server that sends no mail. Such a server creates the account immediately. */
      password: z.optional(password),
      /** Used only by a server that sends no mail. Other servers get the name in `finishSignUp`. */
      name: omittable(memberName),
      /** The secret of an invitation. After the mailed link is used, the page of the invitation opens. */
      invitation: z.optional(token),
    }),
    success: { status: 204 },
    errors: ["forbidden"],
    attempts,
    example: { request: { email: "ada@example.org" } },
  }),
  finishSignUp: endpoint({
    method: "POST",
    path: "/api/v1/console/sign-up/finish",
    summary: "Create the account for which a link was mailed, and sign in to it",
    auth: "none",
    body: z.object({ token, password, name: omittable(memberName) }),
    success: { status: 201, body: session.create.success.body },
    errors: ["invalid_code", "forbidden"],
    attempts,
    example: {
      request: { token: exampleLinkToken, password: "a long passphrase of her own" },
    },
  }),
  recover: endpoint({
    method: "POST",
    path: "/api/v1/console/recovery",
    summary:
      "Request a link that sets a new password; the answer does not say whether the address has an account",
    auth: "none",
    body: z.object({
      email: text(1, limits.email),
      /** The secret of an invitation. After the mailed link is used, the page of the invitation opens. */
      invitation: z.optional(token),
    }),
    success: { status: 204 },
    errors: ["forbidden"],
    attempts,
    example: { request: { email: "ada@example.org" } },
  }),
  finishRecovery: endpoint({
    method: "POST",
    path: "/api/v1/console/recovery/finish",
    summary: "Set a new password with a mailed link, and end all sessions",
    auth: "none",
    body: z.object({ token, newPassword: password }),
    success: { status: 204 },
    errors: ["invalid_code"],
    attempts,
    example: {
      request: { token: exampleLinkToken, newPassword: "a longer passphrase of her own" },
    },
  }),
} as const;
