import type { Context } from "koa";
import * as z from "zod/mini";
import { ApiError } from "../../../src/contract/errors.ts";
import { readForm } from "../../console/forms.tsx";
import { answerWithErrorPage, BarePage, type ShowError } from "../../console/layout.tsx";
import { consolePathOf, createLinks, type Links, returnPath } from "../../console/links.ts";
import type { DoneElsewhere } from "../../console/notices.ts";
import { Line } from "../../console/parts.tsx";
import { createRespond, goTo, type Reply, show, unlessSignedOut } from "../../console/respond.tsx";
import type { Deps } from "../../deps.ts";
import { answerErrors } from "../../http/answers.ts";
import { sessionCookie } from "../../http/authenticate.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import type { Route, SharedSteps } from "../../http/pipeline.ts";
import { senderOf } from "../../http/rate-limits/rate-limits.ts";
import type { Settings } from "../../settings/settings.ts";
import { onTo } from "../sign-in/device-visit.tsx";
import { showSecondFactor } from "../sign-in/finish.tsx";
import { identities, type ProvenIdentity } from "./api.ts";
import { createProvider, type Provider } from "./provider.ts";
import type { IdentityRefusal } from "./rules.ts";

/**
 * Returns the routes that sign people in with OpenID Connect providers, and that connect providers to accounts. (rule
 * S2)
 */
export function identityRoutes(deps: FlowDeps & Pick<Deps, "log">, steps: SharedSteps): Route[] {
  const { settings, clock } = deps;
  const providers = new Map(
    settings.identityProviders.map((one) => [
      one.id,
      createProvider(one, callbackAddress(settings, one.id), clock),
    ]),
  );
  const respond = createRespond(settings, steps);
  const showError: ShowError = (_, error, links) => showIdentityRefusal(links, error);
  const answerWithPage = answerWithErrorPage({ settings, steps }, showError);
  const orErrorPage = answerErrors(deps, (ctx, error) => {
    logRefusal(deps, ctx, error);
    return answerWithPage(ctx, error);
  });
  const route = (
    method: "GET" | "POST",
    path: string,
    answer: (ctx: Context, provider: Provider) => Promise<Reply<DoneElsewhere>>,
  ): Route => ({
    method,
    path,
    answer: (ctx, params) =>
      orErrorPage(ctx, async () => {
        const provider = providers.get(params.provider ?? "");
        if (!provider) throw new ApiError("not_found");
        await respond(ctx, await answer(ctx, provider));
      }),
  });
  const { start, finish } = createFlows(deps, steps);
  return [
    route("GET", startPath, start),
    route("GET", callbackPath, finish),
    route("POST", connectPath, createConnect(deps, steps)),
  ];
}

/** Logs why a sign-in was refused, so that the operator can find a wrong setting of the provider. */
function logRefusal({ log }: Pick<Deps, "log">, ctx: Context, error: ApiError): void {
  if (error.cause === undefined || error.status >= 500) return;
  log.warn({ requestId: ctx.state.requestId, route: ctx.state.route, err: error.cause }, "sign-in refused");
}

/** Creates the handler of the form that connects a proven identity to the account of the signed-in person. */
function createConnect(deps: FlowDeps, steps: SharedSteps) {
  const { signInMethods } = createLinks(consolePathOf(deps.settings).href);
  const sealed = createSealedFlows(deps);
  const { connect } = identities(deps);

  return async (ctx: Context, provider: Provider): Promise<Reply<DoneElsewhere>> => {
    const caller = await steps.authenticate("session", steps.readCredentials(ctx, true));
    const address = steps.addressOf(ctx.req);
    const form = await readForm(ctx.req, { arrivals: steps.arrivals, sender: senderOf(caller, address) });
    const given = sealed.openOffer(form.text("identity"));
    if (given?.proven.providerId !== provider.id) throw unknownFlow(provider.name);
    if (given.userId !== caller.userId) throw refusalOf("session_changed", provider.name);
    const proven = { ...given.proven, email: undefined, name: undefined };
    const user = { id: caller.userId, email: caller.email };
    const why = await connect(proven, user, address);
    if (why) throw refusalOf(why, provider.name);
    return given.to === signInMethods ? goTo(given.to, "connected") : goTo(given.to);
  };
}

/** The maximum number of characters of `to`. A longer address does not fit into the cookie. */
const longestTo = 2_000;

type FlowDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings" | "time">;

/** Creates the handlers that send a person to a provider, and finish the sign-in when the person returns. */
function createFlows(deps: FlowDeps, steps: SharedSteps) {
  const { settings } = deps;
  const links = createLinks(consolePathOf(settings).href);
  const session = sessionCookie(settings);
  const cookie = flowCookie(settings);
  const sealed = createSealedFlows(deps);
  const { isFirst, finishSignIn } = identities(deps);
  const findCaller = (ctx: Context) =>
    unlessSignedOut(() => steps.authenticate("session", steps.readCredentials(ctx, false)));

  const offer = (provider: Provider, proven: ProvenIdentity, to: string, caller: ConsoleCaller): Reply => {
    const { providerId, issuer, subject } = proven;
    const identity = { providerId, issuer, subject };
    return showConnectPage({
      links,
      provider: provider.name,
      address: proven.email,
      account: caller.email,
      action: connectAddress(settings, provider.id),
      sealed: sealed.sealOffer({ proven: identity, userId: caller.userId, to }),
    });
  };
  const answerReturn = async (ctx: Context, provider: Provider, flow: SignInFlow): Promise<Reply> => {
    const proven = await provider.finish(new URLSearchParams(ctx.querystring), flow.checks);
    const caller = await findCaller(ctx);
    const finished = await finishSignIn(proven, {
      startedBy: flow.startedBy,
      caller,
      browser: steps.readCredentials(ctx, false),
      address: steps.addressOf(ctx.req),
    });
    if (finished.outcome === "refused")
      return showIdentityRefusal(links, refusalOf(finished.why, provider.name), flow.to);
    if (finished.outcome === "offered" && caller) return offer(provider, proven, flow.to, caller);
    if (finished.outcome === "second_factor")
      return showSecondFactor({ ...finished, links, action: links.signIn, to: flow.to });
    if (finished.outcome === "signed_in") session.set(ctx, finished.session);
    return goTo(flow.to);
  };

  return {
    async start(ctx: Context, provider: Provider): Promise<Reply> {
      const asked = new URLSearchParams(ctx.querystring).get("to") ?? "";
      const to = returnPath(asked.length > longestTo ? "" : asked, settings.consoleUrl, links.home);
      const caller = await findCaller(ctx);
      const { location, checks } = await provider.begin();
      cookie.set(ctx, sealed.sealFlow({ providerId: provider.id, checks, to, startedBy: caller?.userId }));
      return goTo(location);
    },

    /** Finishes a sign-in, once. After a failure the person must start again, because the cookie is always deleted. */
    async finish(ctx: Context, provider: Provider): Promise<Reply> {
      const flow = sealed.openFlow(cookie.read(ctx));
      if (flow?.providerId !== provider.id) throw unknownFlow(provider.name);
      try {
        if (!(await isFirst(flow.checks.state))) throw unknownFlow(provider.name);
        return await answerReturn(ctx, provider, flow);
      } finally {
        cookie.clear(ctx);
      }
    },
  };
}

/** Returns the error that says why this identity cannot be used. */
function refusalOf(why: IdentityRefusal, provider: string): ApiError {
  switch (why) {
    case "session_changed":
      return new ApiError("forbidden", {
        message: `You are now signed in with a different account than at the start, or you are signed out. Nothing was connected. Start again.`,
      });
    case "another_account":
      return new ApiError("forbidden", {
        message: `This ${provider} account is connected to another account of this server. Nothing was changed.`,
      });
    case "email_unverified":
      return new ApiError("forbidden", {
        message: `${provider} has not verified your e-mail address. Verify it there, then sign in again.`,
      });
    case "email_taken":
      return new ApiError("email_taken", {
        message:
          "There is already an account with this e-mail address. Sign in to it in the usual way, then connect " +
          `${provider} under Sign-in methods.`,
      });
    case "registration_off":
      return new ApiError("forbidden", {
        message: "New accounts are turned off on this server. Ask its operator for an account.",
      });
  }
}

/** Returns the error for a sign-in that began in another browser, took too long or is already finished. */
const unknownFlow = (provider: string) =>
  new ApiError("bad_request", {
    message: `This sign-in with ${provider} began in another browser, took too long, or is already finished. Start it again.`,
  });

/** Returns the functions for the cookie with the state of a sign-in. */
function flowCookie({ consoleUrl }: Pick<Settings, "consoleUrl">) {
  const secure = consoleUrl.startsWith("https:");
  const name = secure ? "__Host-innkeep-with" : "innkeep-with";
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  return {
    read: (ctx: Context): string => ctx.cookies.get(name) ?? "",
    set: (ctx: Context, sealed: string): void =>
      ctx.append("Set-Cookie", `${name}=${sealed}; Max-Age=${lifetimeSeconds}; ${attributes}`),
    clear: (ctx: Context): void => ctx.append("Set-Cookie", `${name}=; Max-Age=0; ${attributes}`),
  };
}

/**
 * The state of a sign-in with a provider. `startedBy` is the account that was signed in when the sign-in started.
 */
const Flow = z.object({
  kind: z.literal("sign_in"),
  providerId: z.string(),
  checks: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  to: z.string(),
  startedBy: z.optional(z.string()),
  expiresAt: z.number(),
});

type SignInFlow = Omit<z.output<typeof Flow>, "kind" | "expiresAt">;

/** The content of an offer to connect a proven identity to an account. */
const SealedOffer = z.object({
  kind: z.literal("offer"),
  proven: z.object({ providerId: z.string(), issuer: z.string(), subject: z.string() }),
  userId: z.string(),
  to: z.string(),
  expiresAt: z.number(),
});

type ConnectOffer = Omit<z.output<typeof SealedOffer>, "kind" | "expiresAt">;

const lifetimeSeconds = 600;

/**
 * Encrypts and decrypts the state that the browser stores for ten minutes. Only this deployment can read or write it.
 */
function createSealedFlows({ sealer, clock }: Pick<Deps, "sealer" | "clock">) {
  const expiresAt = () => clock.now().getTime() + lifetimeSeconds * 1_000;
  const opened = (sealed: string): unknown => {
    try {
      return JSON.parse(sealer.open(sealed));
    } catch {
      return undefined;
    }
  };
  const live = <Content extends { expiresAt: number }>({ data }: { data?: Content }): Content | undefined =>
    data && clock.now().getTime() < data.expiresAt ? data : undefined;
  return {
    sealFlow: (flow: SignInFlow): string =>
      sealer.seal(JSON.stringify({ ...flow, kind: "sign_in", expiresAt: expiresAt() })),
    /**
     * Decrypts the state of a sign-in. Returns undefined if the value is expired or was not encrypted by this
     * deployment.
     */
    openFlow: (sealed: string): SignInFlow | undefined => live(Flow.safeParse(opened(sealed))),
    sealOffer: (offer: ConnectOffer): string =>
      sealer.seal(JSON.stringify({ ...offer, kind: "offer", expiresAt: expiresAt() })),
    openOffer: (sealed: string): ConnectOffer | undefined => live(SealedOffer.safeParse(opened(sealed))),
  };
}

/** Links to sign in with a provider instead of a password. */
export const ProviderLinks = ({
  settings,
  to,
  inNewTab = false,
}: {
  readonly settings: Settings;
  /** The path that the browser opens after the sign-in. */
  readonly to: string;
  /** Whether the links open in a new tab, because this page contains unsaved text. */
  readonly inNewTab?: boolean;
}) =>
  settings.identityProviders.length === 0 ? null : (
    <nav class="stack" aria-label="Other ways to sign in">
      {settings.identityProviders.map(({ id, name }) => (
        <a
          key={id}
          class="button"
          href={startAddress(settings, id, to)}
          target={inNewTab ? "_blank" : undefined}
        >
          Sign in with <Line text={name} />
        </a>
      ))}
    </nav>
  );

type Addresses = Pick<Settings, "baseUrl" | "consoleUrl">;

/** The paths as this server receives them. A reverse proxy removes the path of the base address. */
const startPath = "/tavern/with/:provider";

const callbackPath = "/tavern/with/:provider/callback";

const connectPath = "/tavern/with/:provider/connect";

/** Returns the address that starts a sign-in. After the sign-in the browser opens `to`, a path of the console. */
export const startAddress = (settings: Addresses, providerId: string, to: string): string =>
  `${originOf(settings)}/tavern/with/${providerId}${to && `?${new URLSearchParams({ to })}`}`;

/** Returns the redirect address, which the operator registers at the provider. */
export const callbackAddress = (settings: Addresses, providerId: string): string =>
  `${originOf(settings)}/tavern/with/${providerId}/callback`;

/** Returns the path to which the browser sends the form that connects an identity. */
export const connectAddress = (settings: Addresses, providerId: string): string =>
  new URL(`${originOf(settings)}/tavern/with/${providerId}/connect`).pathname;

/**
 * Returns the start of all sign-in addresses. The addresses are on the console's host, because cookies belong
 * to a host.
 */
function originOf({ baseUrl, consoleUrl }: Addresses): string {
  const console = new URL(consoleUrl).origin;
  return new URL(baseUrl).origin === console ? baseUrl : console;
}

interface ConnectProps {
  readonly links: Links;
  readonly provider: string;
  /** The e-mail address of the person at the provider; undefined if the provider does not send it. */
  readonly address: string | undefined;
  /** The e-mail address of the person's account on this server. */
  readonly account: string;
  /** The address to which the form is sent. */
  readonly action: string;
  /** The encrypted offer. The form sends it back to the server. */
  readonly sealed: string;
}

/** Asks the person before an identity is connected, because a page of another site may have started the sign-in. */
const showConnectPage = (props: ConnectProps): Reply => show(<ConnectOfferBody {...props} />);

const ConnectOfferBody = ({ links, provider, address, account, action, sealed }: ConnectProps) => (
  <BarePage links={links} title={`Connect ${provider}`}>
    <div class="card stack">
      <h1>Connect {provider}?</h1>
      <p>
        A person who can sign in to {provider}
        {address !== undefined && (
          <>
            {" as "}
            <b>
              <Line text={address} />
            </b>
          </>
        )}
        {" will be signed in here as "}
        <b>
          <Line text={account} />
        </b>
        .
      </p>
      <form class="stack" method="post" action={action}>
        <input type="hidden" name="identity" value={sealed} />
        <div class="actions">
          <button class="primary" type="submit">
            Connect
          </button>
          <a class="button" href={links.signInMethods}>
            Cancel
          </a>
        </div>
      </form>
    </div>
  </BarePage>
);

/** Shows why nobody was signed in. `to` is the address that the browser opens after the next sign-in. */
const showIdentityRefusal = (links: Links, error: ApiError, to = links.home): Reply => ({
  status: error.status,
  document: (
    <BarePage links={links} title="Not signed in">
      <div class="card stack">
        <h1>{titleOf(error)}</h1>
        <p>{error.message}</p>
        <div class="actions">
          <a class="button" href={signInAgain(links, error, to)}>
            Go to the sign-in page
          </a>
          <a class="button" href={links.home}>
            Go to the console
          </a>
        </div>
      </div>
    </BarePage>
  ),
});

/**
 * Returns the sign-in address after which the browser opens `to`. For `email_taken`, `signInMethods` replaces
 * `home`.
 */
function signInAgain({ signIn, signInMethods, home }: Links, { code }: ApiError, to: string): string {
  if (to !== home) return onTo(signIn, to);
  return code === "email_taken" ? onTo(signIn, signInMethods) : signIn;
}

function titleOf({ code }: ApiError): string {
  if (code === "not_found") return "Nothing here";
  if (code === "busy") return "One moment";
  if (code === "email_taken") return "You already have an account";
  return "This did not work";
}
