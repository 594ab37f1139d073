import { apps } from "../../../src/contract/apps.ts";
import { type ConnectionScope, connectionScopes } from "../../../src/contract/endpoint.ts";
import { ApiError, badRequest, type Issue } from "../../../src/contract/errors.ts";
import type { Contract } from "../../../src/contract/index.ts";
import { challengePattern } from "../../../src/contract/pkce.ts";
import { connectionConsent, consentPath } from "../../../src/contract/sign-in.ts";
import { IdempotencyField } from "../../console/forms.tsx";
import { answerWithErrorPage, BarePage, type ShowError } from "../../console/layout.tsx";
import type { Links } from "../../console/links.ts";
import { Line, Notice } from "../../console/parts.tsx";
import { createRespond, goTo, type Reply, show } from "../../console/respond.tsx";
import type { Deps } from "../../deps.ts";
import { type AnswerWithPage, answerErrors } from "../../http/answers.ts";
import type { Api, ConsoleCaller } from "../../http/handler.ts";
import type { Route, SharedSteps } from "../../http/pipeline.ts";
import { hashOf } from "../../secrets/secrets.ts";
import type { Settings } from "../../settings/settings.ts";
import {
  createDeviceSignInVisits,
  type DeviceSignInReply,
  type DeviceSignInVisit,
  type ErrorWords,
  onTo,
  SwitchAccount,
  showRequestError,
  type VisitDeps,
} from "../sign-in/device-visit.tsx";
import { formActionOf } from "../sign-in/rules.ts";
import {
  answerFault,
  connectionConsentHandlers,
  findClient,
  isKnownClient,
  type OAuthClient,
  resourceOf,
  unknownClient,
} from "./api.ts";
import { answeredRedirect, isOnThisComputer, isRegisteredRedirect, redirectName } from "./rules.ts";

type ConsentDeps = VisitDeps & Pick<Deps, "log" | "readClientDocument">;

/** Returns the routes of the page on which a person allows an agent to connect. */
export function consentRoutes(deps: ConsentDeps, steps: SharedSteps, api: Api<Contract>): Route[] {
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

/**
 * Shows the page even after an earlier consent. Fetches the document of a program only for a signed-in
 * person.
 */
async function consentPage(visit: DeviceSignInVisit, deps: ConsentPageDeps): Promise<DeviceSignInReply> {
  const query = consentQuery(visit.query);
  const id = clientIdIn(visit.query);
  const caller = await visit.caller();
  if (!caller) {
    // A program calls this address before it opens a browser, to see whether it must register again.
    if (!(await isKnownClient(deps.database, id))) throw wrongProgram(unknownClient);
    return signInFirst(visit, query);
  }
  const request = await readRequest(visit.query, caller, deps);
  return showConsent(visit, request, caller, query);
}

/**
 * Allows or refuses the connection. The redirect address gets a code or an error, and the issuer. (RFC 9207)
 */
async function decideOnConsent(visit: DeviceSignInVisit, deps: ConsentPageDeps): Promise<DeviceSignInReply> {
  const { fields, settings } = visit;
  const given = new URLSearchParams(fields.text("asked"));
  const query = consentQuery(given);
  const caller = await visit.caller();
  if (!caller) return signInFirst(visit, query);
  const request = await readRequest(given, caller, deps);
  // The person decided about the account and the program that the page showed. Both may have changed since then.
  const changed = changedSince(visit, request, caller);
  if (changed) return showConsent(visit, request, caller, query, changed);
  const { idempotencyKey } = fields;
  if (idempotencyKey === undefined) throw badRequest("once", "is missing; reload the page");
  switch (fields.text("decision")) {
    case "allow": {
      const { code } = await visit.askAs(caller)(connectionConsent.allow, {
        body: bodyOf(visit, request),
        idempotencyKey,
      });
      return goBack(request, { code }, settings.baseUrl);
    }
    case "refuse":
      return goBack(request, { error: "access_denied" }, settings.baseUrl);
    default:
      throw badRequest("decision", "must be `allow` or `refuse`");
  }
}

/**
 * Returns what changed since the form was shown. Compares hashes of names, because browsers change line breaks
 * in names.
 */
function changedSince(
  { fields }: DeviceSignInVisit,
  { client }: ConsentRequest,
  { userId }: ConsoleCaller,
): Changed | undefined {
  if (fields.text("account") !== userId) return "account";
  return fields.text("program") === hashOf(client.name) ? undefined : "program";
}

/**
 * Reads the request of a program in `given`. Throws an error with all faults. Fetching a program's document
 * counts for a rate limit.
 */
async function readRequest(
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

/** Creates the request body of the consent. It does not contain scopes that the program did not request. */
function bodyOf({ fields }: DeviceSignInVisit, { client, redirect, challenge, scopes }: ConsentRequest) {
  const ticked = connectionScopes.filter((scope) => scopes.includes(scope) && fields.has(`scope:${scope}`));
  const appId = fields.text("app") || null;
  return { clientId: client.id, clientName: client.name, redirect, challenge, appId, scopes: ticked };
}

async function showConsent(
  visit: DeviceSignInVisit,
  request: ConsentRequest,
  caller: ConsoleCaller,
  query: string,
  changed?: Changed,
): Promise<DeviceSignInReply> {
  const { userId: id, email } = caller;
  const { items } = await visit.askAs(caller)(apps.list);
  // An agent acts for an owner, so the list contains only apps that the person owns. (rule K22)
  const owned = items.filter(({ role }) => role === "owner");
  const page = Consent({ visit, request, query, account: { id, email }, apps: owned, changed });
  return {
    reply: show(page, changed === undefined ? 200 : 409),
    traits: { formAction: formActionOf(request.redirect) },
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

/**
 * Sends the error to a program without a browser. `invalid_client` makes an unknown program register again.
 * (rule A71)
 */
const answerConsentFault: AnswerWithPage = (ctx, error) =>
  answerFault(
    ctx,
    error.details.issues?.[0]?.path === "client_id" ? "invalid_client" : "invalid_request",
    error,
  );

/** Shows why an agent is not connected. The browser is not redirected to the address in the request. */
const showConsentError = (links: Links, error: ApiError, requestId: string): Reply =>
  showRequestError(links, { error, requestId }, isForgotten(error) ? { ...words, text: forgotten } : words);

const isForgotten = ({ details }: ApiError): boolean =>
  details.issues?.some(({ message }) => message === unknownClient) ?? false;

const forgotten =
  "The program that sent you here is not registered at this server, or its registration has expired. In the program, delete its sign-in for this server, or remove the server and add it again. Then connect again.";

const words: ErrorWords = {
  bad_redirect: "This connection would continue at an unknown address",
  bad_request: "This connection is not possible",
  text: "The program that sent you here sent a wrong request, so nothing was connected. Update the program, or send its developers the message below.",
};

interface ConsentProps {
  readonly visit: Pick<DeviceSignInVisit, "links" | "at" | "base">;
  readonly request: ConsentRequest;
  /** The request of the program, as the query of an address. */
  readonly query: string;
  readonly account: { readonly id: string; readonly email: string };
  readonly apps: readonly { readonly id: string; readonly name: string }[];
  /** What has changed since the page was shown; undefined if nothing has changed. */
  readonly changed: Changed | undefined;
}

/** What has changed since the page was shown: the signed-in account, or the name of the program. */
type Changed = "account" | "program";

/** Shows the access that a person gives to an agent. */
const Consent = ({ visit, request, query, account, apps, changed }: ConsentProps) => (
  <BarePage links={visit.links} title="Connect an agent">
    <div class="card stack approval">
      <h1>
        Connect <Line text={request.client.name} />?
      </h1>
      {changed && (
        <Notice kind="alert">
          <b>{changes[changed]}</b> Nothing was allowed. Read the page again before you decide.
        </Notice>
      )}
      <dl class="asked">
        <dt>Account</dt>
        <dd class="row spread">
          <Line text={account.email} />
          <SwitchAccount action={visit.at.switchAccount} to={`${visit.base}${consentPath}?${query}`} />
        </dd>
        <dt>Who asks</dt>
        <dd>
          {request.client.host === null ? (
            "A program. The program chose this name itself. Nobody has checked the name."
          ) : (
            <>
              The site <Line text={request.client.host} />
            </>
          )}
        </dd>
        <dt>Continues at</dt>
        <dd>
          <Line text={redirectName(request.redirect)} />
        </dd>
      </dl>
      <p class="notice attention">{warningOf(request)}</p>
      <form class="stack" method="post" action={`${visit.base}${consentPath}`}>
        <IdempotencyField />
        <input type="hidden" name="asked" value={query} />
        <input type="hidden" name="account" value={account.id} />
        <input type="hidden" name="program" value={hashOf(request.client.name)} />
        <AppChoice apps={apps} />
        <Allowed scopes={request.scopes} />
        <div class="actions choice-of-two">
          <button class="primary" type="submit" name="decision" value="allow">
            Allow
          </button>
          <button class="danger" type="submit" name="decision" value="refuse">
            Refuse
          </button>
        </div>
      </form>
    </div>
  </BarePage>
);

const changes: Readonly<Record<Changed, string>> = {
  account: "You are now signed in with another account.",
  program: "The program has changed its name.",
};

const warningOf = ({ redirect }: ConsentRequest): string =>
  isOnThisComputer(redirect)
    ? "A program on this computer will get this access. Allow it only if you have just started that program yourself."
    : "Allow only a connection that you have just started yourself. Support staff never ask for this.";

const AppChoice = ({ apps }: Pick<ConsentProps, "apps">) => (
  <div class="field">
    <label for="app">What the agent sees</label>
    <select id="app" name="app">
      <option value="">The feedback of all your apps</option>
      {apps.map(({ id, name }) => (
        <option key={id} value={id} selected={apps.length === 1}>
          Only {name}
        </option>
      ))}
    </select>
  </div>
);

const Allowed = ({ scopes }: Pick<ConsentRequest, "scopes">) => (
  <fieldset class="stack tight">
    <legend>What the agent may do</legend>
    <p>Read feedback and decisions. The agent does not see who sent the feedback.</p>
    {choices
      .filter(({ scope }) => scopes.includes(scope))
      .map(({ scope, label, ticked }) => (
        <label class="choice" key={scope}>
          <input type="checkbox" name={`scope:${scope}`} value="on" checked={ticked} />
          <span>{label}</span>
        </label>
      ))}
    <p class="small muted">
      The agent never decides on a plan and never answers a sender. You can end the connection at any time, in
      the console under Tokens.
    </p>
  </fieldset>
);

const choices: readonly {
  readonly scope: ConnectionScope;
  readonly label: string;
  readonly ticked: boolean;
}[] = [
  { scope: "propose", label: "Propose plans, on which a person decides", ticked: true },
  {
    scope: "runs:work",
    label: "Claim approved plans, and report progress and outcome",
    ticked: false,
  },
];

/** The validated request of a program for a connection. */
interface ConsentRequest {
  readonly client: OAuthClient;
  readonly redirect: string;
  readonly challenge: string;
  readonly state: string | undefined;
  /** The requested scopes; all scopes if the program requests none. */
  readonly scopes: readonly ConnectionScope[];
}

const fields = [
  ...["response_type", "client_id", "redirect_uri", "code_challenge", "code_challenge_method"],
  ...["scope", "state", "resource"],
];

const longestState = 4_000;

/** Returns the id of the program. Throws `bad_request` if the request contains no id or several ids. */
function clientIdIn(given: URLSearchParams): string {
  const [id = "", ...others] = given.getAll("client_id");
  if (id === "" || others.length > 0 || id.length > 500)
    throw fault([{ path: "client_id", message: "must be given once" }]);
  return id;
}

/**
 * Throws `bad_redirect` for a wrong redirect address, otherwise `bad_request` with all faults. Never redirects,
 * because anybody can register an address. (rule A44)
 */
function readConsentRequest(
  given: URLSearchParams,
  client: OAuthClient,
  settings: Pick<Settings, "baseUrl">,
): ConsentRequest {
  const [redirect = "", ...others] = given.getAll("redirect_uri");
  if (others.length > 0 || !isRegisteredRedirect(redirect, client.redirects))
    throw new ApiError("bad_redirect", {
      message: "The `redirect_uri` is not registered for this OAuth client.",
    });
  const one = (name: string) => given.get(name) ?? "";
  const resource = one("resource").replace(/\/$/, "");
  const faults: (readonly [boolean, string, string])[] = [
    ...fields.map((name) => [given.getAll(name).length > 1, name, "must be given once"] as const),
    [one("response_type") !== "code", "response_type", "must be `code`"],
    [!challengePattern.test(one("code_challenge")), "code_challenge", "must be base64url of a SHA-256"],
    [one("code_challenge_method") !== "S256", "code_challenge_method", "must be `S256`"],
    [one("state").length > longestState, "state", `must have at most ${longestState} characters`],
    [resource !== "" && resource !== resourceOf(settings), "resource", `must be ${resourceOf(settings)}`],
  ];
  const issues = faults.flatMap(([is, path, message]) => (is ? [{ path, message }] : []));
  if (issues.length > 0) throw fault(issues);
  return {
    client,
    redirect,
    challenge: one("code_challenge"),
    state: given.get("state") ?? undefined,
    scopes: scopesIn(one("scope")),
  };
}

/**
 * Returns the requested scopes that this server supports. If there are none, returns all scopes, so that the
 * person chooses.
 */
function scopesIn(given: string): readonly ConnectionScope[] {
  const names = given.split(" ");
  const known = connectionScopes.filter((scope) => names.includes(scope));
  return known.length === 0 ? connectionScopes : known;
}

const fault = (issues: readonly Issue[]) => new ApiError("bad_request", { issues });

/**
 * Returns the known parameters as a query string. The string contains no line breaks, which browsers would
 * change.
 */
const consentQuery = (given: URLSearchParams): string =>
  new URLSearchParams([...given].filter(([name]) => fields.includes(name))).toString();
