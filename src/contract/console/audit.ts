import * as z from "zod/mini";
import { endpoint } from "../endpoint.ts";
import { givenInstant, instant, queryInteger, text, uuid } from "../fields.ts";
import { limits } from "../limits.ts";

/** Who did what, when, and from which address. */
export const AuditEntry = z.object({
  id: uuid,
  at: instant,
  actor: z.string(),
  action: z.string(),
  appId: z.nullable(uuid),
  target: z.nullable(z.string()),
  address: z.nullable(z.string()),
});
export type AuditEntry = z.output<typeof AuditEntry>;

export const audit = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/audit",
    summary: "List what was done in your account and your apps, newest first",
    auth: "console",
    scope: "audit:read",
    query: z.object({
      appId: z.optional(uuid),
      action: z.optional(text(1, 100)),
      /** The e-mail address of a person, whose maintainer tokens are meant, too; `agent`; or the id of a token. */
      actor: z.optional(text(1, limits.email)),
      /** Entries of this instant and later ones. */
      from: z.optional(givenInstant),
      /** Entries before this instant. */
      to: z.optional(givenInstant),
      cursor: z.optional(text(1, 500)),
      limit: z.optional(queryInteger(1, limits.listPage.max)),
    }),
    success: {
      status: 200,
      body: z.object({ items: z.array(AuditEntry), nextCursor: z.nullable(z.string()) }),
    },
    errors: [],
  }),
} as const;
