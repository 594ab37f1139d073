import { ApiError } from "../../../src/contract/errors.ts";
import { incomingMails } from "../../../src/contract/mails.ts";
import { goTo, type Reply } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { showAutomaticMails } from "./page.tsx";

export async function takeMail(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, param } = visit;
  const params = { mailId: param("mailId") };
  try {
    const taken = await ask(incomingMails.take, {
      params,
      body: {},
      idempotencyKey: fields.idempotencyKey,
    });
    return goTo(`${links.thread(param("appId"), taken.threadId)}`, "mail-taken");
  } catch (error) {
    if (error instanceof ApiError && error.code === "wrong_state") return showAutomaticMails(visit, error);
    throw error;
  }
}
