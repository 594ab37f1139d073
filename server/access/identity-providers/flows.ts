import type { Context } from "koa";
import { unlessSignedOut } from "../../console/browser-request.ts";
import { consolePathOf, returnPath } from "../../console/console-path.ts";
import { createLinks } from "../../console/links.ts";
import { goTo, type Reply } from "../../console/reply.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import type { Door } from "../../http/mount.ts";
import { sessionCookie } from "../../http/session-cookie.ts";
import { showSecondFactor } from "../sign-in/second-factor-page.tsx";
import { connectAddress } from "./addresses.ts";
import { identities, type Proven } from "./api.ts";
import { flowCookie } from "./flow-cookie.ts";
import { refusalOf, unknownFlow } from "./identity-refusals.ts";
import { showConnectPage } from "./page.tsx";
import type { Provider } from "./provider.ts";
import { createSealedFlows, type SignInFlow } from "./sealed-flow.ts";

/** A proven identity that the signed-in person can connect, and where to go afterwards. */
interface Offer {
  readonly proven: Proven;
  readonly to: string;
  readonly caller: ConsoleCaller;
}

/** A longer address does not fit into the cookie. */
const longestTo = 2_000;

/** The dependencies of the handlers that sign people in with providers. */
export type FlowDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings" | "time">;

/** Sends a person to a provider, and finishes the sign-in when they return. */
export function createFlows(deps: FlowDeps, door: Door) {
  const { settings } = deps;
  const links = createLinks(consolePathOf(settings).href);
  const session = sessionCookie(settings);
  const cookie = flowCookie(settings);
  const sealed = createSealedFlows(deps);
  const { isFirst, finishSignIn } = identities(deps);
  const findCaller = (ctx: Context) =>
    unlessSignedOut(() => door.authenticate("session", door.readCredentials(ctx, false)));

  const offer = (provider: Provider, { proven, to, caller }: Offer): Reply => {
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
    const proven = await provider.finish(new URLSearchParams(ctx.querystring), flow.way);
    const caller = await findCaller(ctx);
    const finished = await finishSignIn(proven, {
      startedBy: flow.startedBy,
      caller,
      browser: door.readCredentials(ctx, false),
      address: door.addressOf(ctx.req),
    });
    if (finished.outcome === "refused") throw refusalOf(finished.why, provider.name);
    if (finished.outcome === "offered" && caller) return offer(provider, { proven, to: flow.to, caller });
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
      const { location, way } = await provider.begin();
      cookie.set(ctx, sealed.sealFlow({ providerId: provider.id, way, to, startedBy: caller?.userId }));
      return goTo(location);
    },

    /** Finishes a sign-in. It can be tried once only, whether it succeeds or fails. */
    async finish(ctx: Context, provider: Provider): Promise<Reply> {
      const flow = sealed.openFlow(cookie.read(ctx));
      if (flow?.providerId !== provider.id) throw unknownFlow(provider.name);
      try {
        if (!(await isFirst(flow.way.state))) throw unknownFlow(provider.name);
        return await answerReturn(ctx, provider, flow);
      } finally {
        cookie.clear(ctx);
      }
    },
  };
}
