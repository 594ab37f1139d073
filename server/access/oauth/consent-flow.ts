import { apps } from "../../../src/contract/apps.ts";
import { connectionConsent, consentPath } from "../../../src/contract/devices.ts";
import { connectionScopes } from "../../../src/contract/endpoint.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type { Contract } from "../../../src/contract/index.ts";
import { answerWithErrorPage, type ShowError } from "../../console/error-page.tsx";
import type { Links } from "../../console/links.ts";
import { goTo, type Reply, show } from "../../console/reply.ts";
import { createRespond } from "../../console/respond.ts";
import type { Deps } from "../../deps.ts";
import { type AnswerWithPage, answerErrors } from "../../http/errors.ts";
import type { Api, ConsoleCaller } from "../../http/handler.ts";
import type { RequestSteps, Route } from "../../http/request-steps.ts";
import { hashOf } from "../../secrets/secrets.ts";
import { type ErrorWords, showRequestError } from "../sign-in/device-parts.tsx";
import {
  createDeviceSignInVisits,
  type DeviceSignInReply,
  type DeviceSignInVisit,
  onTo,
  type VisitDeps,
} from "../sign-in/device-visit.tsx";
import { connectionConsentHandlers, findClient, isKnownClient, unknownClient } from "./api/connections.ts";
import { answerFault } from "./api/endpoints.ts";
import {
  type Changed,
  Consent,
  type ConsentRequest,
  clientIdIn,
  queryOf,
  readConsentRequest,
} from "./page.tsx";
import { answeredRedirect, redirectSource } from "./redirect.ts";

type ConsentDeps = VisitDeps & Pick<Deps, "log" | "readClientDocument">;

/** The page on which a person allows an agent to connect, and its form. */
export function consentRoutes(deps: ConsentDeps, steps: RequestSteps, api: Api<Contract>): Route[] {
  const { settings } = deps;
  if (!settings.mcp) return [];
  const withConsent = {
    contract: { ...api.contract, connectionConsent },
    handlers: { ...api.handlers, connectionConsent: connectionConsentHandlers(deps) },
  };
  const visitOf = createDeviceSignInVisits(deps, steps, withConsent);
  const respond = createRespond(settings, steps);
  const showError: ShowError = (ctx, error, links) =>
    showConsentError(links, error, String(ctx.state.requestId));
  const answerWithPage = answerWithErrorPage({ settings, steps }, showError);
  const orErrorPage = answerErrors(
    deps,
    async (ctx, error) => (await answerWithPage(ctx, error)) || answerConsentFault(ctx, error),
  );
  const route = (
    method: "GET" | "POST",
    answer: (visit: DeviceSignInVisit, deps: ConsentDeps) => Promise<DeviceSignInReply>,
  ): Route => ({
    method,
    path: consentPath,
    answer: (ctx) =>
      orErrorPage(ctx, async () => {
        const { reply, traits } = await answer(await visitOf(ctx), deps);
        await respond(ctx, reply, traits);
      }),
  });
  return [route("GET", consentPage), route("POST", decideOnConsent)];
}

type ConsentPageDeps = Pick<Deps, "clock" | "database" | "limiter" | "readClientDocument" | "settings">;

/** Shows a signed-in person what a program asks for. It is never skipped. No document is read for a stranger. */
async function consentPage(visit: DeviceSignInVisit, deps: ConsentPageDeps): Promise<DeviceSignInReply> {
  const query = queryOf(visit.query);
  const id = clientIdIn(visit.query);
  const caller = await visit.caller();
  if (!caller) {
    // Programs ask before they open a browser whether they must register again.
    if (!(await isKnownClient(deps.database, id))) throw wrongProgram(unknownClient);
    return signInFirst(visit, query);
  }
  const asked = await readAsked(visit.query, caller, deps);
  return showConsent(visit, asked, caller, query);
}

/** Allows or refuses. The browser returns to the program, with a code or an error, and with the issuer. (RFC 9207) */
async function decideOnConsent(visit: DeviceSignInVisit, deps: ConsentPageDeps): Promise<DeviceSignInReply> {
  const { fields, settings } = visit;
  const given = new URLSearchParams(fields.text("asked"));
  const query = queryOf(given);
  const caller = await visit.caller();
  if (!caller) return signInFirst(visit, query);
  const asked = await readAsked(given, caller, deps);
  // The page named both, and both may have changed since it was shown.
  const changed = changedSince(visit, asked, caller);
  if (changed) return showConsent(visit, asked, caller, query, changed);
  const { idempotencyKey } = fields;
  if (idempotencyKey === undefined) throw badRequest("once", "is missing; reload the page");
  switch (fields.text("decision")) {
    case "allow": {
      const { code } = await visit.askAs(caller)(connectionConsent.allow, {
        body: bodyOf(visit, asked),
        idempotencyKey,
      });
      return goBack(asked, { code }, settings.baseUrl);
    }
    case "refuse":
      return goBack(asked, { error: "access_denied" }, settings.baseUrl);
    default:
      throw badRequest("decision", "must be `allow` or `refuse`");
  }
}

/** Compares with hashes: browsers change line breaks in fields. */
function changedSince(
  { fields }: DeviceSignInVisit,
  { client }: ConsentRequest,
  { userId }: ConsoleCaller,
): Changed | undefined {
  if (fields.text("account") !== userId) return "account";
  return fields.text("program") === hashOf(client.name) ? undefined : "program";
}

/** Throws what is wrong with the program or its request. A person may make the server read only so many documents. */
async function readAsked(
  given: URLSearchParams,
  { userId }: ConsoleCaller,
  deps: ConsentPageDeps,
): Promise<ConsentRequest> {
  const id = clientIdIn(given);
  if (id.startsWith("https://") && deps.settings.rateLimited)
    await deps.limiter.spend({ who: userId, rateLimit: "clientDocuments" });
  const client = await findClient(deps, id).catch((error: Error) => {
    throw wrongProgram(error.message);
  });
  return readConsentRequest(given, client, deps.settings);
}

const wrongProgram = (message: string) =>
  new ApiError("bad_request", { issues: [{ path: "client_id", message }] });

/** What the person ticked, of what the program asked for. */
function bodyOf({ fields }: DeviceSignInVisit, { client, redirect, challenge, scopes }: ConsentRequest) {
  const ticked = connectionScopes.filter((scope) => scopes.includes(scope) && fields.has(`scope:${scope}`));
  const appId = fields.text("app") || null;
  return { clientId: client.id, clientName: client.name, redirect, challenge, appId, scopes: ticked };
}

async function showConsent(
  visit: DeviceSignInVisit,
  asked: ConsentRequest,
  caller: ConsoleCaller,
  query: string,
  changed?: Changed,
): Promise<DeviceSignInReply> {
  const { userId: id, email } = caller;
  const { items } = await visit.askAs(caller)(apps.list);
  // An agent acts for an owner. (rule K22)
  const owned = items.filter(({ role }) => role === "owner");
  const page = Consent({ visit, asked, query, account: { id, email }, apps: owned, changed });
  return {
    reply: show(page, changed === undefined ? 200 : 409),
    traits: { formAction: redirectSource(asked.redirect) },
  };
}

const signInFirst = ({ at, base }: DeviceSignInVisit, query: string): DeviceSignInReply => ({
  reply: goTo(onTo(at.signIn, `${base}${consentPath}?${query}`)),
});

const goBack = (
  { redirect, state }: ConsentRequest,
  answer: Readonly<Record<string, string>>,
  iss: string,
): DeviceSignInReply => ({
  reply: { location: answeredRedirect(redirect, { ...answer, state, iss }) },
  traits: { referrerPolicy: "no-referrer" },
});

/** The same for a program that asks without a browser. An unknown one learns that it must register again. */
const answerConsentFault: AnswerWithPage = (ctx, error) =>
  answerFault(
    ctx,
    error.details.issues?.[0]?.path === "client_id" ? "invalid_client" : "invalid_request",
    error,
  );

/** Why an agent is not connected. The browser is not redirected to the address that it sent. */
const showConsentError = (links: Links, error: ApiError, requestId: string): Reply =>
  showRequestError(links, { error, requestId }, isForgotten(error) ? { ...words, text: forgotten } : words);

const isForgotten = ({ details }: ApiError): boolean =>
  details.issues?.some(({ message }) => message === unknownClient) ?? false;

const forgotten =
  "This server does not know the program that sent you here, or has forgotten it. In the program, clear its sign-in for this server, or remove the server and add it again. Then connect again.";

const words: ErrorWords = {
  bad_redirect: "This connection leads to an unknown address",
  bad_request: "This connection cannot be made",
  text: "The program that sent you here sent a wrong request, so nothing was connected. Update it, or send its developers the message below.",
};
