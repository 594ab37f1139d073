import { ApiError } from "../../../src/contract/errors.ts";
import { savedReplies } from "../../../src/contract/saved-replies.ts";
import { changedValues, givenFor } from "../../console/changed-values.ts";
import { filledAgain } from "../../console/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { showSavedReplies } from "./page.tsx";

export function createSavedReply(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, param } = visit;
  const params = { appId: param("appId") };
  return reshowForm(
    async () => {
      const body = { title: fields.text("title"), body: fields.text("body") };
      await ask(savedReplies.create, { params, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.savedReplies(params.appId), "reply-saved");
    },
    (refusal) => showSavedReplies(visit, { form: filledAgain(fields, refusal) }),
  );
}

export function updateSavedReply(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, param } = visit;
  const [appId, savedReplyId] = [param("appId"), param("savedReplyId")];
  return reshowForm(
    async () => {
      const { items } = await ask(savedReplies.list, { params: { appId } });
      const reply = items.find(({ id }) => id === savedReplyId);
      if (!reply) throw new ApiError("not_found");
      const current = { title: reply.title, body: reply.body };
      const body = changedValues(fields, givenFor(fields, current), current);
      const asked = { params: { savedReplyId }, body, idempotencyKey: fields.idempotencyKey };
      await ask(savedReplies.update, asked);
      return goTo(links.savedReplies(appId), "changed");
    },
    (refusal) => showSavedReplies(visit, { form: filledAgain(fields, refusal), replyId: savedReplyId }),
  );
}

export async function deleteSavedReply({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  const params = { savedReplyId: param("savedReplyId") };
  await ask(savedReplies.remove, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.savedReplies(param("appId")), "saved-reply-deleted");
}
