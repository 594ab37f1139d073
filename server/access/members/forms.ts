import { invitations, members } from "../../../src/contract/members.ts";
import { filledAgain } from "../../console/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { showMembers } from "./page.tsx";

/** Answers with the page itself, so that the link is in no address and no cookie. A repeated form shows the same link. */
export function invite(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  return reshowForm(
    async () => {
      const made = await ask(invitations.create, {
        params: { appId: param("appId") },
        body: { email: fields.text("email"), role: fields.text("role") },
        idempotencyKey: fields.idempotencyKey,
      });
      return showMembers(visit, { made });
    },
    (refusal) => showMembers(visit, { invite: filledAgain(fields, refusal) }),
  );
}

export async function withdrawInvitation({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  const params = { appId: param("appId"), invitationId: param("invitationId") };
  await ask(invitations.remove, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.members(params.appId), "invitation-withdrawn");
}

export function changeRole(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, param } = visit;
  const params = { appId: param("appId"), userId: param("userId") };
  return reshowForm(
    async () => {
      const body = { role: fields.text("role") };
      await ask(members.update, { params, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.members(params.appId), "changed");
    },
    (refusal) => showMembers(visit, { refusal }),
  );
}

export function removeMember(visit: SignedInVisit): Promise<Reply> {
  const { ask, caller, fields, links, param } = visit;
  const params = { appId: param("appId"), userId: param("userId") };
  return reshowForm(
    async () => {
      await ask(members.remove, { params, idempotencyKey: fields.idempotencyKey });
      return params.userId.toLowerCase() === caller.userId
        ? goTo(links.home, "left")
        : goTo(links.members(params.appId), "member-removed");
    },
    (refusal) => showMembers(visit, { refusal }),
  );
}
