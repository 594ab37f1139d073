import type { Context } from "koa";
import type { Reply } from "../reply.ts";
import type { SignedInVisit } from "../visit.ts";
import { doneCookie, sentDraftOf } from "./sent-draft.ts";

/**
 * Removes the drafts of what a form sent, once it was done, and tells the script. A refused form keeps them. Gives the
 * reply as it is. (rule O17)
 */
export async function noteDone(
  ctx: Context,
  { fields, drafts, settings }: Pick<SignedInVisit, "fields" | "drafts" | "settings">,
  reply: Reply,
): Promise<Reply> {
  const { form, writer } = sentDraftOf(fields);
  if (form === "" || ("status" in reply && reply.status >= 400)) return reply;
  const { sentFields } = reply;
  const sent = fields.entries().filter(([name]) => sentFields?.includes(name) ?? true);
  // What could not be removed is offered again, which loses nothing.
  await drafts.removeSent({ form, writer, sent: new Map(sent) }).catch(() => undefined);
  const once = fields.idempotencyKey;
  if (once !== undefined) ctx.append("Set-Cookie", doneCookie(once, sentFields, settings));
  return reply;
}
