import * as z from "zod/mini";
import { endpoint, maintainerScopes } from "../endpoint.ts";
import { instant, text, uuid } from "../fields.ts";
import { limits } from "../limits.ts";

export const TokenKind = z.enum(["agent", "maintainer"]);

export const Token = z.object({
  id: uuid,
  kind: TokenKind,
  label: z.string(),
  scopes: z.array(z.enum(maintainerScopes)),
  appId: z.nullable(uuid),
  prefix: z.string(),
  createdAt: instant,
  createdBy: z.string(),
  lastUsedAt: z.nullable(instant),
});
export type Token = z.output<typeof Token>;

/** A new token with its secret, which is shown only once. */
export const NewToken = z.extend(Token, { token: z.string() });

export const tokens = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/tokens",
    summary: "List your agent and maintainer tokens",
    auth: "console",
    scope: "apps:read",
    success: { status: 200, body: z.object({ items: z.array(Token) }) },
    errors: [],
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/console/tokens",
    summary: "Make a token for an agent or for scripts; it is shown this once",
    auth: "session",
    body: z.object({
      kind: TokenKind,
      label: text(1, limits.label),
      scopes: z.optional(z.array(z.enum(maintainerScopes))),
      appId: z.optional(z.nullable(uuid)),
    }),
    success: { status: 201, body: NewToken },
    errors: ["not_found"],
    answersSecret: true,
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/v1/console/tokens/:tokenId",
    summary: "Revoke a token; a token may revoke itself",
    auth: "console",
    scope: "apps:write",
    ownToken: "tokenId",
    params: z.object({ tokenId: uuid }),
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;
