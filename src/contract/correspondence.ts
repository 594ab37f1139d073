import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { instant, openEnum, uuid } from "./fields.ts";

export const automaticMarks = ["auto_submitted", "precedence", "no_sender"] as const;

/** A mail that was not added to its thread, because a header says that a program wrote the mail. */
export const AutomaticMail = z.object({
  id: uuid,
  threadId: uuid,
  from: z.string(),
  subject: z.string(),
  /** The beginning of the text. */
  text: z.string(),
  /** The header that shows that a program wrote the mail. */
  reason: openEnum(automaticMarks),
  createdAt: instant,
  /** The time at which the server deletes the mail. */
  keptUntil: instant,
});
export type AutomaticMail = z.output<typeof AutomaticMail>;

const params = z.object({ mailId: uuid });

/** Incoming mails. Only people can read the original mails. Agents and tokens cannot. */
export const incomingMails = {
  listAutomatic: endpoint({
    method: "GET",
    path: "/api/v1/console/apps/:appId/automatic-mails",
    summary: "List the newest 100 mails that programs seem to have written, which are kept for 30 days",
    auth: "console",
    role: "maintainer",
    scope: "feedback:read",
    params: appParams,
    success: { status: 200, body: z.object({ items: z.array(AutomaticMail) }) },
    errors: ["not_found"],
  }),
  take: endpoint({
    method: "POST",
    path: "/api/v1/console/automatic-mails/:mailId/take",
    summary: "Add a mail to its thread, although a program seemed to have written it",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params,
    success: { status: 200, body: z.object({ threadId: uuid, messageId: uuid }) },
    errors: ["not_found", "wrong_state"],
  }),
  original: endpoint({
    method: "GET",
    path: "/api/v1/console/mail-originals/:mailId",
    summary: "Download an original mail; it is kept for 30 days",
    auth: "session",
    role: "maintainer",
    params,
    success: { status: 200, download: ["message/rfc822"] },
    errors: ["not_found"],
  }),
} as const;
