import { apps } from "../../../src/contract/apps.ts";
import { connectionConsent, consentPath } from "../../../src/contract/connection-consent.ts";
import { connectionScopes } from "../../../src/contract/endpoint.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { goTo, show } from "../../console/reply.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { hashOf } from "../../secrets/secrets.ts";
import type { DeviceSignInReply, DeviceSignInVisit } from "../sign-in/device-visit.ts";
import { onTo } from "../sign-in/paths.ts";
import { findClient, isKnownClient, unknownClient } from "./api/clients.ts";
import { type ConsentRequest, clientIdIn, queryOf, readConsentRequest } from "./consent-request.ts";
import { type Changed, Consent } from "./page.tsx";
import { answeredRedirect, redirectSource } from "./redirect.ts";

type ConsentDeps = Pick<Deps, "clock" | "database" | "limiter" | "readClientDocument" | "settings">;

/** Shows a signed-in person what a program asks for. It is never skipped. No document is read for a stranger. */
export async function consentPage(visit: DeviceSignInVisit, deps: ConsentDeps): Promise<DeviceSignInReply> {
  const query = queryOf(visit.query);
  const id = clientIdIn(visit.query);
  const caller = await visit.caller();
  if (!caller) {
    // Programs ask before they open a browser whether they must register again.
    if (!(await isKnownClient(deps.database, id))) throw wrongProgram(unknownClient);
    return signInFirst(visit, query);
  }
  const asked = await readAsked(visit.query, caller, deps);
  return showConsent(visit, { asked, caller, query });
}

/** Allows or refuses. The browser returns to the program, with a code or an error, and with the issuer. (RFC 9207) */
export async function decideOnConsent(
  visit: DeviceSignInVisit,
  deps: ConsentDeps,
): Promise<DeviceSignInReply> {
  const { fields, settings } = visit;
  const given = new URLSearchParams(fields.text("asked"));
  const query = queryOf(given);
  const caller = await visit.caller();
  if (!caller) return signInFirst(visit, query);
  const asked = await readAsked(given, caller, deps);
  // The page named both, and both may have changed since it was shown.
  const changed = changedSince(visit, asked, caller);
  if (changed) return showConsent(visit, { asked, caller, query, changed });
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
  deps: ConsentDeps,
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

interface ShownConsent {
  readonly asked: ConsentRequest;
  readonly caller: ConsoleCaller;
  readonly query: string;
  readonly changed?: Changed;
}

async function showConsent(
  visit: DeviceSignInVisit,
  { asked, caller, query, changed }: ShownConsent,
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
