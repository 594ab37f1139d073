import { badRequest } from "../../../../src/contract/errors.ts";
import {
  formActionOf,
  type RedirectAnswer,
  redirectAddress,
} from "../../../domain/access/redirect-target.ts";
import type { ConsoleCaller } from "../../../http/handler.ts";
import { goTo, show } from "../../reply.ts";
import { Approval } from "./approval.tsx";
import { type AuthorizeRequest, queryOf, readAuthorizeRequest } from "./authorize-request.ts";
import { tavern } from "./endpoints.ts";
import { onTo } from "./paths.ts";
import type { TavernReply, TavernVisit } from "./visit.ts";

/** Shows what a device asks for, to whom is signed in. It is never skipped: an approval is for one device, once. */
export async function authorizePage(visit: TavernVisit): Promise<TavernReply> {
  const asked = readAuthorizeRequest(visit.query, visit.settings);
  const caller = await visit.caller();
  return caller ? showApproval(visit, asked, caller) : signInFirst(visit, asked);
}

/** Does what the person says: the browser goes back to who asked, with a code or without. (303: RFC 9700 4.12) */
export async function decide(visit: TavernVisit): Promise<TavernReply> {
  const { fields } = visit;
  const asked = readAuthorizeRequest(new URLSearchParams(fields.text("asked")), visit.settings);
  const caller = await visit.caller();
  if (!caller) return signInFirst(visit, asked);
  // Somebody may have signed in as somebody else since: the page told who would be signed in.
  if (fields.text("account") !== caller.userId) return showApproval(visit, asked, caller, { changed: true });
  const { once } = fields;
  if (once === undefined) throw badRequest("once", "must be what the page gave");
  const { device, name, challenge } = asked;
  const asking = { body: { device, name, challenge }, once };
  switch (fields.text("decision")) {
    case "approve":
      return goBack(asked, await visit.askAs(caller)(tavern.approve, asking));
    case "refuse":
      await visit.askAs(caller)(tavern.refuse, asking);
      return goBack(asked, { error: "access_denied" });
    default:
      throw badRequest("decision", "must be `approve` or `refuse`");
  }
}

function showApproval(
  visit: TavernVisit,
  asked: AuthorizeRequest,
  { userId, email }: ConsoleCaller,
  { changed = false } = {},
): TavernReply {
  return {
    reply: show(Approval({ visit, asked, account: { id: userId, email }, changed }), changed ? 409 : 200),
    traits: { formAction: formActionOf(asked.redirect) },
  };
}

const signInFirst = ({ at }: TavernVisit, asked: AuthorizeRequest): TavernReply => ({
  reply: goTo(onTo(at.signIn, `${at.authorize}?${queryOf(asked)}`)),
});

const goBack = ({ redirect, state }: AuthorizeRequest, answer: RedirectAnswer): TavernReply => ({
  reply: goTo(redirectAddress(redirect, answer, state)),
  traits: { referrerPolicy: "no-referrer" },
});
