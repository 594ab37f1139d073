import { accountLinks, session } from "../../../../src/contract/console-session.ts";
import { deviceApproval } from "../../../../src/contract/devices.ts";
import { ApiError, badRequest } from "../../../../src/contract/errors.ts";
import type { Contract } from "../../../../src/contract/index.ts";
import { answerWithErrorPage, type ShowError } from "../../../console/error-page.tsx";
import { filledAgain, filledWith } from "../../../console/form-values.tsx";
import { returnPath } from "../../../console/links.ts";
import { goTo, reshowForm, show } from "../../../console/reply.ts";
import { createRespond } from "../../../console/respond.ts";
import type { Deps } from "../../../deps.ts";
import { answerErrors } from "../../../http/errors.ts";
import type { Api, ConsoleCaller } from "../../../http/handler.ts";
import type { RequestSteps, Route } from "../../../http/request-steps.ts";
import { showDeviceSignInError } from "../device-parts.tsx";
import {
  type AuthorizeRequest,
  formActionOf,
  queryOf,
  type RedirectAnswer,
  readAuthorizeRequest,
  redirectAddress,
} from "../device-request.ts";
import {
  createDeviceSignInVisits,
  type DeviceSignInHandler,
  type DeviceSignInReply,
  type DeviceSignInVisit,
  deviceSignInPaths,
  onTo,
  type VisitDeps,
} from "../device-visit.tsx";
import { showSecondFactor, signInWith } from "../finish.tsx";
import { SignUpAsked } from "./account-links.tsx";
import { Approval, codePage, type EntryProps, isByMail, SignIn, SignUp } from "./device.tsx";

/** The pages on which a person signs a device in. (rule S3) */
export function deviceSignInRoutes(
  deps: VisitDeps & Pick<Deps, "log">,
  steps: RequestSteps,
  api: Api<Contract>,
): Route[] {
  const visitOf = createDeviceSignInVisits(deps, steps, api);
  const respond = createRespond(deps.settings, steps);
  const showError: ShowError = (ctx, error, links) =>
    showDeviceSignInError(links, error, String(ctx.state.requestId));
  const orErrorPage = answerErrors(deps, answerWithErrorPage({ settings: deps.settings, steps }, showError));
  const route = (method: "GET" | "POST", path: string, answer: DeviceSignInHandler): Route => ({
    method,
    path,
    answer: (ctx) =>
      orErrorPage(ctx, async () => {
        const { reply, traits } = await answer(await visitOf(ctx));
        await respond(ctx, reply, traits);
      }),
  });
  return [
    route("GET", deviceSignInPaths.authorize, authorizePage),
    route("POST", deviceSignInPaths.authorize, decide),
    route("GET", deviceSignInPaths.signIn, signInPage),
    route("POST", deviceSignInPaths.signIn, signIn),
    route("GET", deviceSignInPaths.signUp, signUpPage),
    route("POST", deviceSignInPaths.signUp, signUp),
    route("POST", deviceSignInPaths.switchAccount, switchAccount),
    route("GET", deviceSignInPaths.code, codePage),
  ];
}

/** Shows the request of a device to the signed-in person. It is never skipped: an approval is for one device, once. */
async function authorizePage(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  const asked = readAuthorizeRequest(visit.query, visit.settings);
  const caller = await visit.caller();
  return caller ? showApproval(visit, { asked, caller }) : signInFirst(visit, asked);
}

/**
 * Approves or refuses the device. The browser returns to the app that opened it, with a code or an error. (303: RFC 9700
 * 4.12)
 */
async function decide(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
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

function showApproval(
  visit: DeviceSignInVisit,
  {
    asked,
    caller: { userId, email },
    changed = false,
  }: { readonly asked: AuthorizeRequest; readonly caller: ConsoleCaller; readonly changed?: boolean },
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

const signInPage = async (visit: DeviceSignInVisit): Promise<DeviceSignInReply> => ({
  reply: show(SignIn(entryOf(visit, visit.query.get("to") ?? ""))),
});

async function signIn(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  const { fields, ask } = visit;
  const entry = entryOf(visit, fields.text("to"));
  const reply = await reshowForm<never>(
    async () => {
      const done = await signInWith(ask, fields);
      if (done.outcome === "signed_in") return goTo(entry.to);
      const { links, at } = visit;
      return showSecondFactor({ ...done, links, action: at.signIn, to: entry.to });
    },
    async (refusal) => show(SignIn({ ...entry, form: filledAgain(fields, refusal) }), refusal.status),
  );
  return { reply };
}

async function signUpPage(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  if (!visit.settings.registration) throw new ApiError("not_found");
  return { reply: show(SignUp(entryOf(visit, visit.query.get("to") ?? ""))) };
}

async function signUp(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  const { fields, ask } = visit;
  const entry = entryOf(visit, fields.text("to"));
  const reply = await reshowForm(
    async () => {
      const { links, at, settings } = visit;
      const byMail = isByMail(settings);
      const body = byMail ? { email: fields.text("email") } : credentialsOf(visit);
      await ask(accountLinks.signUp, { body });
      return show(SignUpAsked({ links, byMail, signIn: onTo(at.signIn, entry.to) }));
    },
    async (refusal) => show(SignUp({ ...entry, form: filledAgain(fields, refusal) }), refusal.status),
  );
  return { reply };
}

/** Ends the console session of this browser, so that the person can sign in with another account. */
async function switchAccount(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  const { to } = entryOf(visit, visit.fields.text("to"));
  const caller = await visit.caller();
  if (caller) await visit.askAs(caller)(session.remove, { idempotencyKey: visit.fields.idempotencyKey });
  return { reply: goTo(onTo(visit.at.signIn, to)) };
}

function entryOf(visit: DeviceSignInVisit, to: string): EntryProps {
  const { settings, links } = visit;
  return { visit, to: returnPath(to, settings.baseUrl, links.home), form: filledWith() };
}

const credentialsOf = ({ fields }: DeviceSignInVisit) => ({
  email: fields.text("email"),
  password: fields.text("password"),
});
