import * as z from "zod/mini";
import { endpoint, maintainerScopes } from "../endpoint.ts";
import { text, uuid } from "../fields.ts";
import { limits } from "../limits.ts";

export const User = z.object({ id: uuid, email: z.string() });

export const session = {
  create: endpoint({
    method: "POST",
    path: "/api/v1/console/session",
    summary: "Sign in to the console",
    auth: "none",
    body: z.object({
      email: text(1, limits.email),
      password: z.string().check(z.minLength(1), z.maxLength(limits.password.max)),
    }),
    success: { status: 201, body: z.object({ user: User }) },
    errors: ["invalid_credentials", "rate_limited", "forbidden"],
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/v1/console/session",
    summary: "Sign out of the console",
    auth: "session",
    success: { status: 204 },
    errors: [],
  }),
  changePassword: endpoint({
    method: "PUT",
    path: "/api/v1/console/password",
    summary: "Change the password of your account, and end its other sessions",
    auth: "session",
    body: z.object({
      currentPassword: z
        .string()
        .check(z.minLength(1, "must not be empty"), z.maxLength(limits.password.max)),
      newPassword: z
        .string()
        .check(
          z.minLength(limits.password.min, `must have at least ${limits.password.min} characters`),
          z.maxLength(limits.password.max, `must have at most ${limits.password.max} characters`),
        ),
    }),
    success: { status: 204 },
    errors: ["invalid_credentials", "rate_limited"],
  }),
  me: endpoint({
    method: "GET",
    path: "/api/v1/console/me",
    summary: "Read who is signed in, and what these credentials may do",
    auth: "console",
    success: {
      status: 200,
      body: z.object({
        user: User,
        scopes: z.array(z.enum(maintainerScopes)),
        /** The one app to which a token is limited. Null for a token without a limit, and for a person. */
        app: z.nullable(z.object({ id: uuid, name: z.string() })),
        /** The token of these credentials. Null for a person. */
        tokenId: z.nullable(uuid),
      }),
    },
    errors: [],
  }),
} as const;
