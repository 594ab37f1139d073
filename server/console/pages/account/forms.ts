import { consoleSessions } from "../../../../src/contract/console/console-sessions.ts";
import { goTo, type Reply } from "../../reply.ts";
import type { SignedInVisit } from "../../visit.ts";

export async function endSession({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  const params = { sessionId: param("sessionId") };
  await ask(consoleSessions.remove, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.account, "session-ended");
}

export async function endOtherSessions({ ask, fields, links }: SignedInVisit): Promise<Reply> {
  await ask(consoleSessions.removeOthers, { idempotencyKey: fields.idempotencyKey });
  return goTo(links.account, "sessions-ended");
}
