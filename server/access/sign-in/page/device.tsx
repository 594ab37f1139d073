import type { VNode } from "preact";
import { accountLinks, session } from "../../../../src/contract/console-session.ts";
import { type DeviceScope, deviceScopes } from "../../../../src/contract/endpoint.ts";
import { ApiError, badRequest } from "../../../../src/contract/errors.ts";
import type { Contract } from "../../../../src/contract/index.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { codePath, consentPath, deviceApproval } from "../../../../src/contract/sign-in.ts";
import {
  type Filled,
  filledAgain,
  filledWith,
  IdempotencyField,
  NameField,
  TextField,
} from "../../../console/forms.tsx";
import { type Invited, InvitedTo, invitedTo } from "../../../console/invited.tsx";
import { answerWithErrorPage, BarePage, type ShowError } from "../../../console/layout.tsx";
import { type Links, returnPath } from "../../../console/links.ts";
import { Line, Notice, Refused, SignInRefused } from "../../../console/parts.tsx";
import { createRespond, goTo, reshowForm, show } from "../../../console/respond.tsx";
import type { Deps } from "../../../deps.ts";
import { answerErrors } from "../../../http/answers.ts";
import type { Api, ConsoleCaller } from "../../../http/handler.ts";
import type { Route, SharedSteps } from "../../../http/pipeline.ts";
import { sendsMail } from "../../../mail/outgoing/queue.ts";
import { normaliseEmail } from "../../../secrets/passwords.ts";
import { ProviderLinks } from "../../identity-providers/flow.tsx";
import { deviceApprovalHandlers } from "../api.ts";
import {
  createDeviceSignInVisits,
  type DeviceSignInHandler,
  type DeviceSignInReply,
  type DeviceSignInVisit,
  deviceSignInPaths,
  type ErrorWords,
  onTo,
  SwitchAccount,
  showRequestError,
  type VisitDeps,
} from "../device-visit.tsx";
import { showSecondFactor, signInWith } from "../finish.tsx";
import {
  type AuthorizeRequest,
  deviceRequestQuery,
  formActionOf,
  type RedirectAnswer,
  readAuthorizeRequest,
  redirectAddress,
  targetName,
  tokenLifetimeDays,
} from "../rules.ts";

/** Returns the routes of the pages on which a person signs a device in. (rule S3) */
export function deviceSignInRoutes(
  deps: VisitDeps & Pick<Deps, "log">,
  steps: SharedSteps,
  api: Api<Contract>,
): Route[] {
  const withApproval = {
    contract: { ...api.contract, deviceApproval },
    handlers: { ...api.handlers, deviceApproval: deviceApprovalHandlers(deps) },
  };
  const visitOf = createDeviceSignInVisits(deps, steps, withApproval);
  const respond = createRespond(deps.settings, steps);
  const showError: ShowError = (ctx, error, links) =>
    showRequestError(links, { error, requestId: String(ctx.state.requestId) }, errorWords);
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

/** The error page shows no text from the device, and does not redirect to an address from the device. */
const errorWords: ErrorWords = {
  bad_redirect: "This sign-in would continue at an unknown address",
  bad_request: "The request for this sign-in is incomplete",
  text: "The app or terminal that sent you here sent a wrong request, so nobody was signed in. Update that program, or send its developers the message below.",
};

/** Shows the page that asks for the approval of a device. Each sign-in needs a new approval. */
async function authorizePage(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  const request = readAuthorizeRequest(visit.query, visit.settings.redirectUrl);
  const caller = await visit.caller();
  return caller ? showApproval(visit, { request, caller }) : signInFirst(visit, request);
}

/** Approves or refuses the device. The browser returns to the app with status 303. (RFC 9700 4.12) */
async function decide(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  const { fields } = visit;
  const request = readAuthorizeRequest(new URLSearchParams(fields.text("asked")), visit.settings.redirectUrl);
  const caller = await visit.caller();
  if (!caller) return signInFirst(visit, request);
  // The page showed another account, so the person must decide again.
  if (fields.text("account") !== caller.userId)
    return showApproval(visit, { request, caller, changed: true });
  const { idempotencyKey } = fields;
  if (idempotencyKey === undefined) throw badRequest("once", "is missing; reload the page");
  const { device, name, challenge } = request;
  const sent = { body: { device, name, challenge }, idempotencyKey };
  switch (fields.text("decision")) {
    case "approve":
      return goBack(request, await visit.askAs(caller)(deviceApproval.approve, sent));
    case "refuse":
      await visit.askAs(caller)(deviceApproval.refuse, sent);
      return goBack(request, { error: "access_denied" });
    default:
      throw badRequest("decision", "must be `approve` or `refuse`");
  }
}

function showApproval(
  visit: DeviceSignInVisit,
  {
    request,
    caller: { userId, email },
    changed = false,
  }: { readonly request: AuthorizeRequest; readonly caller: ConsoleCaller; readonly changed?: boolean },
): DeviceSignInReply {
  return {
    reply: show(Approval({ visit, request, account: { id: userId, email }, changed }), changed ? 409 : 200),
    traits: { formAction: formActionOf(request.redirect) },
  };
}

const signInFirst = ({ at }: DeviceSignInVisit, request: AuthorizeRequest): DeviceSignInReply => ({
  reply: goTo(onTo(at.signIn, `${at.authorize}?${deviceRequestQuery(request)}`)),
});

const goBack = ({ redirect, state }: AuthorizeRequest, answer: RedirectAnswer): DeviceSignInReply => ({
  reply: goTo(redirectAddress(redirect, answer, state)),
  traits: { referrerPolicy: "no-referrer" },
});

const signInPage = async (visit: DeviceSignInVisit): Promise<DeviceSignInReply> => ({
  reply: show(SignIn(await entryProps(visit, visit.query.get("to") ?? ""))),
});

async function signIn(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  const { fields, ask } = visit;
  const entry = await entryProps(visit, fields.text("to"));
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
  return { reply: show(SignUp(await entryProps(visit, visit.query.get("to") ?? ""))) };
}

async function signUp(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  const { fields, ask } = visit;
  const entry = await entryProps(visit, fields.text("to"));
  const reply = await reshowForm(
    async () => {
      const { links, at, settings } = visit;
      const byMail = sendsMail(settings);
      const body = byMail
        ? { email: fields.text("email"), invitation: entry.invited?.secret }
        : { ...credentialsOf(visit), name: fields.text("name") };
      await ask(accountLinks.signUp, { body });
      if (!byMail && (await signsIn(visit))) return goTo(entry.to);
      return show(
        SignUpSent({
          links,
          byMail,
          invited: entry.invited,
          email: fields.text("email"),
          signIn: onTo(at.signIn, entry.to),
        }),
      );
    },
    async (refusal) => show(SignUp({ ...entry, form: filledAgain(fields, refusal) }), refusal.status),
  );
  return { reply };
}

/**
 * Signs in with the typed password. Returns false if an existing account has another password or a second
 * factor.
 */
async function signsIn({ ask, fields }: DeviceSignInVisit): Promise<boolean> {
  try {
    return (await signInWith(ask, fields)).outcome === "signed_in";
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Ends the console session of this browser, so that the person can sign in with another account. */
async function switchAccount(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  const { to } = await entryProps(visit, visit.fields.text("to"));
  const caller = await visit.caller();
  if (caller) await visit.askAs(caller)(session.remove, { idempotencyKey: visit.fields.idempotencyKey });
  return { reply: goTo(onTo(visit.at.signIn, to)) };
}

async function entryProps(visit: DeviceSignInVisit, to: string): Promise<EntryPageProps> {
  const { settings, links } = visit;
  const next = returnPath(to, settings.baseUrl, links.home);
  const invited = await invitedTo(visit, next);
  return { visit, to: next, invited, form: filledWith(invited ? { email: invited.email } : {}) };
}

const credentialsOf = ({ fields }: DeviceSignInVisit) => ({
  email: fields.text("email"),
  password: fields.text("password"),
});

/** Shows what a person approves: the device, the account, the rights and their duration. (RFC 8252 8.6) */
const Approval = ({
  visit: { links, at, settings },
  request,
  account,
  changed,
}: {
  readonly visit: Pick<DeviceSignInVisit, "links" | "at" | "settings">;
  readonly request: AuthorizeRequest;
  readonly account: { readonly id: string; readonly email: string };
  /** Whether the person has signed in with another account since the page was shown. */
  readonly changed: boolean;
}) => (
  <BarePage links={links} title="Sign in on a device">
    <div class="card stack approval">
      <h1>
        Sign in <Line text={request.name} />?
      </h1>
      {changed && (
        <Notice kind="alert">
          <b>You are now signed in with another account.</b> Nothing was approved. Read the page again before
          you decide.
        </Notice>
      )}
      <dl class="asked">
        <dt>Account</dt>
        <dd class="row spread">
          <Line text={account.email} />
          <SwitchAccount action={at.switchAccount} to={`${at.authorize}?${deviceRequestQuery(request)}`} />
        </dd>
        <dt>Stays signed in</dt>
        <dd>{tokenLifetimeDays} days, or until you sign the device out under Devices</dd>
        <dt>Continues in</dt>
        <dd>{redirectName(request.redirect, settings.baseUrl)}</dd>
      </dl>
      <Allowed />
      <p class="notice attention">
        Approve only a sign-in that you have started yourself, on a device that you have with you. Support
        staff never ask for this.
      </p>
      <form method="post" action={at.authorize}>
        <IdempotencyField />
        <input type="hidden" name="asked" value={deviceRequestQuery(request)} />
        <input type="hidden" name="account" value={account.id} />
        <div class="actions choice-of-two">
          <button class="primary" type="submit" name="decision" value="approve">
            Approve
          </button>
          <button class="danger" type="submit" name="decision" value="refuse">
            Refuse
          </button>
        </div>
      </form>
    </div>
  </BarePage>
);

const Allowed = () => (
  <section class="stack tight" aria-labelledby="allowed">
    <h2 id="allowed">The device can</h2>
    <ul class="granted">
      {deviceScopes.map((scope) => (
        <li key={scope}>{scopeWords[scope]}</li>
      ))}
    </ul>
    <p class="small muted">The device gets no other access: it cannot use your apps or this console.</p>
  </section>
);

const scopeWords: Readonly<Record<DeviceScope, string>> = {
  "testing:read": "see your tests, your slots and your tasks for each day",
  "testing:profile:write": "set your time zone and where you are notified",
  "testing:slots:write": "ask for slots in tests",
  "testing:proofs:write": "send proofs of your testing",
};

const redirectName = (redirect: string, baseUrl: string): string =>
  redirect === baseUrl + codePath ? "a page of this server that shows you a code" : targetName(redirect);

/**
 * Shows a code for a terminal. Shows only a well-formed code, because anybody can write any text into this
 * address.
 */
async function codePage({ links, query }: DeviceSignInVisit): Promise<DeviceSignInReply> {
  return { reply: show(codePageBody(links, query)), traits: { referrerPolicy: "no-referrer" } };
}

function codePageBody(links: Links, query: URLSearchParams): VNode {
  const code = /^[\w-]{43}$/.exec(query.get("code") ?? "")?.[0];
  if (code !== undefined) return <Code links={links} code={code} />;
  return query.get("error") === "access_denied" ? <DeviceRefused links={links} /> : <NoCode links={links} />;
}

const Code = ({ links, code }: { readonly links: Links; readonly code: string }) => (
  <BarePage links={links} title="Your sign-in code">
    <div class="card stack">
      <h1>Approved</h1>
      <p>
        The device may have continued automatically. If it still asks for a code, paste this code there. The
        code works once, within five minutes, and only on that device.
      </p>
      <div class="field">
        <label for="code">Code</label>
        <textarea class="code" id="code" rows={2} readOnly autocomplete="off" spellcheck={false}>
          {`\n${code}`}
        </textarea>
      </div>
      <div class="actions">
        <button class="primary" type="button" data-copies="code" hidden>
          Copy the code
        </button>
      </div>
      <p class="small muted">
        Do not give the code to anybody. When you have entered it in the app, you can close this window.
      </p>
    </div>
  </BarePage>
);

const DeviceRefused = ({ links }: { readonly links: Links }) => (
  <BarePage links={links} title="Refused">
    <div class="card stack">
      <h1>Refused</h1>
      <p>The device was not signed in. You can close this window.</p>
    </div>
  </BarePage>
);

const NoCode = ({ links }: { readonly links: Links }) => (
  <BarePage links={links} title="No code">
    <div class="card stack">
      <h1>There is no code here</h1>
      <p>
        Start on the device that you want to sign in. The device opens the page on which you approve the
        sign-in.
      </p>
    </div>
  </BarePage>
);

interface EntryPageProps {
  readonly visit: DeviceSignInVisit;
  /** The path on this server that the browser opens after the sign-in. */
  readonly to: string;
  /** The invitation that the next page shows; undefined if it shows none. */
  readonly invited: Invited | undefined;
  readonly form: Filled;
}

/** The sign-in page before an approval of a device or program, or before an invitation. */
const SignIn = ({ visit: { links, at, settings }, to, invited, form }: EntryPageProps) => {
  const next = nextStep(to, { authorize: at.authorize, invitations: links.invitation("") });
  return (
    <BarePage links={links} title="Sign in">
      <div class="card stack">
        <div class="stack tight">
          <h1>Sign in</h1>
          {invited && <InvitedTo invited={invited} next="Sign in with this address." />}
          {next && !invited && <p class="muted">{next}</p>}
        </div>
        <SignInRefused refusal={form.refusal} />
        <form class="stack" method="post" action={at.signIn}>
          <input type="hidden" name="to" value={to} />
          <Email form={form} />
          <Password autocomplete="current-password" />
          <button class="primary" type="submit">
            Sign in
          </button>
        </form>
        <ProviderLinks settings={settings} to={to} />
        {settings.registration && (
          <p class="small muted">
            New here? <a href={onTo(at.signUp, to)}>Create an account</a>
          </p>
        )}
        <p class="small muted">
          <a href={invited ? onTo(links.recover, to) : links.recover}>Forgot password?</a>
        </p>
      </div>
    </BarePage>
  );
};

/**
 * Returns a sentence about the next page. Undefined for a page of the console, because the person chose that
 * page.
 */
function nextStep(to: string, paths: { readonly authorize: string; readonly invitations: string }) {
  if (to.includes(consentPath)) return "Next, you decide what the program that opened this page may do.";
  if (to.startsWith(paths.authorize))
    return "Next, you decide whether to sign in the device that opened this page.";
  if (to.startsWith(paths.invitations)) return "Next, you see the invitation.";
  return undefined;
}

const SignUp = ({ visit: { links, at, settings }, to, invited, form }: EntryPageProps) => (
  <BarePage links={links} title="Create an account">
    <div class="card stack">
      <h1>Create an account</h1>
      {invited && <InvitedTo invited={invited} next="Create your account with this address." />}
      <Refused refusal={form.refusal} />
      <form class="stack" method="post" action={at.signUp}>
        <input type="hidden" name="to" value={to} />
        <Email form={form} />
        {!sendsMail(settings) && <NameField form={form} unkept />}
        {!sendsMail(settings) && (
          <Password
            autocomplete="new-password"
            refusal={form.refusal}
            hint={`At least ${limits.password.min} characters. The best choice is a few words that only you would combine.`}
          />
        )}
        <button class="primary" type="submit">
          Create account
        </button>
        {sendsMail(settings) && (
          <p class="small muted">You get a mail with a link. With the link, you choose a password.</p>
        )}
      </form>
      <ProviderLinks settings={settings} to={to} />
      <p class="small muted">
        Do you have an account? <a href={onTo(at.signIn, to)}>Sign in</a>
      </p>
    </div>
  </BarePage>
);

/** The page is the same for each address, so that it does not reveal whether the address has an account. */
const SignUpSent = ({
  links,
  byMail,
  invited,
  email,
  signIn,
}: {
  readonly links: Links;
  /** Whether a mailed link creates the account. */
  readonly byMail: boolean;
  readonly invited: Invited | undefined;
  /** The address that the person typed. */
  readonly email: string;
  /** The address of the sign-in page. */
  readonly signIn: string;
}) => (
  <BarePage links={links} title="Your account">
    <div class="card stack">
      <h1>{byMail ? "Check your mail" : "Sign in now"}</h1>
      <p>
        {byMail
          ? "We have sent a link to this address. With the link, you choose a password, and then your account is ready. You can use the link once, within a day."
          : "Done. If this address was new, your account is ready."}
      </p>
      {invited && byMail && <InvitationNext invited={invited} email={email} />}
      <a class="button" href={signIn}>
        Go to the sign-in page
      </a>
    </div>
  </BarePage>
);

/** Says how the person gets to the invitation. Everybody with its link can see the invited e-mail address. */
const InvitationNext = ({ invited, email }: { readonly invited: Invited; readonly email: string }) =>
  normaliseEmail(email) === invited.email ? (
    <p>
      After that you see the invitation to “
      <Line text={invited.appName} />
      ”, and can accept it.
    </p>
  ) : (
    <p>
      The invitation is for <Line text={invited.email} />. You have typed another address. An account with
      that address cannot accept it.
    </p>
  );

const Email = ({ form }: { readonly form: Filled }) => (
  <TextField form={form} name="email" label="E-mail" type="email" autocomplete="username" required />
);

/** The field for a password. It never shows a typed password again. */
const Password = ({
  autocomplete,
  refusal,
  hint,
}: {
  readonly autocomplete: "current-password" | "new-password";
  readonly refusal?: Filled["refusal"];
  readonly hint?: string;
}) => (
  <TextField
    form={{ value: () => "", refusal }}
    name="password"
    label="Password"
    type="password"
    autocomplete={autocomplete}
    hint={hint}
    required
  />
);
