import { blockedSenders } from "../../../src/contract/blocked-senders.ts";
import { goTo, type Reply } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";

export async function unblockSender({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  const params = { blockedSenderId: param("blockedSenderId") };
  await ask(blockedSenders.remove, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.blocked(param("appId")), "unblocked");
}

export async function releaseHidden({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  const params = { hiddenId: param("hiddenId") };
  const { threadId } = await ask(blockedSenders.release, {
    params,
    body: {},
    idempotencyKey: fields.idempotencyKey,
  });
  return goTo(links.thread(param("appId"), threadId), "shown-again");
}
