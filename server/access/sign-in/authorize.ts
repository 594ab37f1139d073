import { deviceApproval } from "../../../src/contract/device-approval.ts";
import { badRequest } from "../../../src/contract/errors.ts";
import { goTo, show } from "../../console/reply.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { type AuthorizeRequest, queryOf, readAuthorizeRequest } from "./device-request.ts";
import type { DeviceSignInReply, DeviceSignInVisit } from "./device-visit.ts";
import { Approval } from "./page/device.tsx";
import { onTo } from "./paths.ts";
import { formActionOf, type RedirectAnswer, redirectAddress } from "./redirect-target.ts";

/** Shows the request of a device to the signed-in person. It is never skipped: an approval is for one device, once. */
export async function authorizePage(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  const asked = readAuthorizeRequest(visit.query, visit.settings);
  const caller = await visit.caller();
  return caller ? showApproval(visit, { asked, caller }) : signInFirst(visit, asked);
}

/**
 * Approves or refuses the device. The browser returns to the app that opened it, with a code or an error. (303: RFC 9700
 * 4.12)
 */
export async function decide(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  const { fields } = visit;
  const asked = readAuthorizeRequest(new URLSearchParams(fields.text("asked")), visit.settings);
  const caller = await visit.caller();
  if (!caller) return signInFirst(visit, asked);
  // The account may have changed since the page was shown, and the page named the account.
  if (fields.text("account") !== caller.userId) return showApproval(visit, { asked, caller, changed: true });
  const { idempotencyKey } = fields;
  if (idempotencyKey === undefined) throw badRequest("once", "is missing; reload the page");
  const { device, name, challenge } = asked;
  const asking = { body: { device, name, challenge }, idempotencyKey };
  switch (fields.text("decision")) {
    case "approve":
      return goBack(asked, await visit.askAs(caller)(deviceApproval.approve, asking));
    case "refuse":
      await visit.askAs(caller)(deviceApproval.refuse, asking);
      return goBack(asked, { error: "access_denied" });
    default:
      throw badRequest("decision", "must be `approve` or `refuse`");
  }
}

interface ShownApproval {
  readonly asked: AuthorizeRequest;
  readonly caller: ConsoleCaller;
  readonly changed?: boolean;
}

function showApproval(
  visit: DeviceSignInVisit,
  { asked, caller: { userId, email }, changed = false }: ShownApproval,
): DeviceSignInReply {
  return {
    reply: show(Approval({ visit, asked, account: { id: userId, email }, changed }), changed ? 409 : 200),
    traits: { formAction: formActionOf(asked.redirect) },
  };
}

const signInFirst = ({ at }: DeviceSignInVisit, asked: AuthorizeRequest): DeviceSignInReply => ({
  reply: goTo(onTo(at.signIn, `${at.authorize}?${queryOf(asked)}`)),
});

const goBack = ({ redirect, state }: AuthorizeRequest, answer: RedirectAnswer): DeviceSignInReply => ({
  reply: goTo(redirectAddress(redirect, answer, state)),
  traits: { referrerPolicy: "no-referrer" },
});
