import * as z from "zod/mini";
import { session } from "./console-session.ts";
import { endpoint } from "./endpoint.ts";
import { text } from "./fields.ts";
import { limits } from "./limits.ts";
import { Registration } from "./sign-in.ts";

const { email, password } = Registration.shape;
const token = text(1, 100);
const attempts = [{ limit: "linksByAddress", by: ["address"] }] as const;

/** What a person does with links from mails: a new account, or a new password for a forgotten one. */
export const accountLinks = {
  signUp: endpoint({
    method: "POST",
    path: "/api/v1/console/sign-up",
    summary: "Ask for an account; the answer does not tell whether the address has one",
    auth: "none",
    body: z.object({
      email,
      /** Only for a server that sends no mail: it makes the account at once. */
      password: z.optional(password),
    }),
    success: { status: 204 },
    errors: ["forbidden"],
    attempts,
  }),
  finishSignUp: endpoint({
    method: "POST",
    path: "/api/v1/console/sign-up/finish",
    summary: "Make the account for which a link was mailed, and sign in to it",
    auth: "none",
    body: z.object({ token, password }),
    success: { status: 201, body: session.create.success.body },
    errors: ["invalid_code", "forbidden"],
    attempts,
  }),
  recover: endpoint({
    method: "POST",
    path: "/api/v1/console/recovery",
    summary: "Ask for a link to a new password; the answer does not tell whether the address has an account",
    auth: "none",
    body: z.object({ email: text(1, limits.email) }),
    success: { status: 204 },
    errors: ["forbidden"],
    attempts,
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
  }),
} as const;
