import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint, tokenScopes } from "./endpoint.ts";
import { appId } from "./example-values.ts";
import { givenInstant, instant, optionalText, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";

/** Only a `full` key can write the FAQ. An `intake` key may be embedded in an app. */
export const KeyKind = z.enum(["full", "intake"]);

export const AppKey = z.object({
  id: uuid,
  label: z.string(),
  kind: KeyKind,
  prefix: z.string(),
  createdAt: instant,
  lastUsedAt: z.nullable(instant),
});

export type AppKey = z.output<typeof AppKey>;

/** A new key with its secret, which is shown only once. */
export const NewAppKey = z.extend(AppKey, { key: z.string() });

const keyParams = z.extend(appParams, { keyId: uuid });

export const keys = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/apps/:appId/keys",
    summary: "List the keys of an app",
    auth: "console",
    role: "owner",
    scope: "apps:read",
    params: appParams,
    success: { status: 200, body: z.object({ items: z.array(AppKey) }) },
    errors: ["not_found"],
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/console/apps/:appId/keys",
    summary: "Create a key for an app; its secret is shown only once",
    auth: "session",
    role: "owner",
    params: appParams,
    body: z.object({ label: optionalText(limits.label), kind: z.optional(KeyKind) }),
    success: { status: 201, body: NewAppKey },
    errors: ["not_found"],
    answersSecret: true,
    example: { request: { label: "CI", kind: "intake" } },
  }),
  regenerate: endpoint({
    method: "POST",
    path: "/api/v1/console/apps/:appId/keys/:keyId/regenerate",
    summary: "Replace a key with a new one; the old key stops working immediately",
    auth: "session",
    role: "owner",
    params: keyParams,
    success: { status: 201, body: NewAppKey },
    errors: ["not_found"],
    answersSecret: true,
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/v1/console/apps/:appId/keys/:keyId",
    summary: "Revoke a key",
    auth: "console",
    role: "owner",
    scope: "apps:write",
    params: keyParams,
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;

export const TokenKind = z.enum(["agent", "maintainer"]);

/** `oauth` is the connection of an agent that a person allowed on the consent page. */
const ListedTokenKind = z.enum([...TokenKind.options, "oauth"]);

export const Token = z.object({
  id: uuid,
  kind: ListedTokenKind,
  label: z.string(),
  scopes: z.array(z.enum([...tokenScopes, "read", "propose"])),
  appId: z.nullable(uuid),
  prefix: z.string(),
  createdAt: instant,
  createdBy: z.string(),
  lastUsedAt: z.nullable(instant),
  /** When the token expires. Null if it does not expire. */
  expiresAt: z.nullable(instant),
  ended: z.boolean(),
});

export type Token = z.output<typeof Token>;

/** A new token with its secret, which is shown only once. */
export const NewToken = z.extend(Token, { kind: TokenKind, token: z.string() });

export const tokens = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/tokens",
    summary: "List your agent and maintainer tokens, and the connections of agents",
    auth: "console",
    role: "account",
    scope: "apps:read",
    success: { status: 200, body: z.object({ items: z.array(Token) }) },
    errors: [],
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/console/tokens",
    summary: "Create a token for an agent or for scripts; its secret is shown only once",
    auth: "session",
    role: "account",
    body: z.object({
      kind: TokenKind,
      label: text(1, limits.label),
      scopes: z.optional(z.array(z.enum(tokenScopes))),
      appId: z.optional(z.nullable(uuid)),
      expiresAt: z.optional(z.nullable(givenInstant)),
    }),
    success: { status: 201, body: NewToken },
    errors: ["not_found"],
    answersSecret: true,
    example: {
      request: { kind: "maintainer", label: "Releases", scopes: ["changelog:write"], appId: appId },
    },
  }),
  rotate: endpoint({
    method: "POST",
    path: "/api/v1/console/tokens/:tokenId/rotate",
    summary:
      "Replace the secret of a token; the new secret is shown only once, and the old secret can stay valid for some minutes",
    auth: "session",
    role: "account",
    params: z.object({ tokenId: uuid }),
    body: z.object({
      graceMinutes: z.optional(z.int().check(z.gte(0), z.lte(60))),
      expiresAt: z.optional(z.nullable(givenInstant)),
    }),
    success: { status: 200, body: NewToken },
    errors: ["not_found"],
    answersSecret: true,
    example: { request: { graceMinutes: 10 } },
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/v1/console/tokens/:tokenId",
    summary: "Revoke a token; a token may revoke itself",
    auth: "console",
    role: "account",
    scope: "apps:write",
    ownToken: "tokenId",
    params: z.object({ tokenId: uuid }),
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;
