import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { boundary, instant, pageLimit, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";

/** The actions that this version records. Each name has an object and a verb. Other versions may have more actions. */
export const auditActions = [
  "app.create",
  "app.delete",
  "app.export",
  "app.import",
  "app.update",
  "changelog.create",
  "changelog.delete",
  "changelog.discard",
  "changelog.draft",
  "changelog.publish",
  "changelog.update",
  "connection.allow",
  "connection.create",
  "connection.end",
  "cycle.cancel",
  "cycle.create",
  "device.create",
  "device.delete",
  "faq.create",
  "faq.delete",
  "faq.discard",
  "faq.draft",
  "faq.publish",
  "faq.replace",
  "faq.update",
  "identity.connect",
  "invitation.accept",
  "invitation.create",
  "invitation.delete",
  "key.create",
  "key.delete",
  "key.regenerate",
  "listing.create",
  "listing.update",
  "member.create",
  "member.delete",
  "member.update",
  "mail.take",
  "message.note",
  "message.outbound",
  "passkey.create",
  "passkey.delete",
  "person.erase",
  "picture.create",
  "retention.delete",
  "run.approve",
  "run.claim",
  "run.expire",
  "run.outcome",
  "run.progress",
  "run.propose",
  "run.recall",
  "run.reject",
  "run.release",
  "run.resume",
  "run.replace",
  "run.request_changes",
  "saved_reply.create",
  "saved_reply.delete",
  "saved_reply.update",
  "second_factor.disable",
  "second_factor.enable",
  "second_factor.new_codes",
  "second_factor.recovery_code",
  "sender.block",
  "sender.release",
  "sender.unblock",
  "session.create",
  "session.delete",
  "session.end",
  "session.end_others",
  "slot.accept",
  "slot.assign",
  "slot.confirm_join",
  "slot.decline",
  "slot.remove",
  "slot.rotate_key",
  "tag.create",
  "tag.delete",
  "tag.merge",
  "tag.update",
  "thread.assign",
  "thread.delete",
  "thread.merge",
  "thread.reopen",
  "thread.resolve",
  "thread.snooze",
  "thread.tag",
  "thread.test",
  "thread.unmerge",
  "thread.update",
  "token.create",
  "token.delete",
  "token.rotate",
  "user.create",
  "user.name",
  "user.password",
  "user.recover",
  "view.create",
  "view.delete",
  "view.update",
  "webhook.create",
  "webhook.delete",
  "webhook.replay",
  "webhook.resend",
  "webhook.rotate",
  "webhook.test",
  "webhook.update",
] as const;
export type AuditActionName = (typeof auditActions)[number];

/** A field that an action changed. Secret values and very long values are not included. */
export const AuditChange = z.object({
  field: z.string(),
  from: z.optional(z.nullable(z.string())),
  to: z.optional(z.nullable(z.string())),
});
export type AuditChange = z.output<typeof AuditChange>;

/** The end of the name of an imported person. The person has no account on this server. (rule X6) */
export const importedMark = " (imported)";

/** Who did what, when, and from which network address. */
export const AuditEntry = z.object({
  id: uuid,
  at: instant,
  actor: z.string(),
  /** The name of the person. Null for a program, a person without a name, and a former member. */
  actorName: z.nullable(z.string()),
  action: z.string(),
  appId: z.nullable(uuid),
  target: z.nullable(z.string()),
  address: z.nullable(z.string()),
  /** The changed fields. Missing if no field changed, or if an older server recorded the action. */
  changes: z.optional(z.array(AuditChange)),
});
export type AuditEntry = z.output<typeof AuditEntry>;

export const audit = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/audit",
    summary: "List what was done in your account and your apps, newest first",
    auth: "console",
    role: "owner",
    scope: "audit:read",
    query: z.object({
      appId: z.optional(uuid),
      action: z.optional(text(1, 100)),
      /**
       * Finds actions of one actor: an e-mail address (with the person's maintainer tokens), `agent` or a token
       * id.
       */
      actor: z.optional(text(1, limits.email)),
      /** Finds entries at this time and later. */
      from: z.optional(boundary),
      /** Finds entries before this time. */
      to: z.optional(boundary),
      cursor: z.optional(text(1, 500)),
      limit: pageLimit(limits.listPage),
    }),
    success: {
      status: 200,
      body: z.object({ items: z.array(AuditEntry), nextCursor: z.nullable(z.string()) }),
    },
    errors: [],
  }),
} as const;
