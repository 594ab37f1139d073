import type { Context } from "koa";
import type { Deps } from "../../../deps.ts";
import type { ConsoleCaller } from "../../../http/handler.ts";
import type { Door } from "../../../http/mount.ts";
import { sessionCookie } from "../../../http/session-cookie.ts";
import { identities, type Proven } from "../../../routes/access/identities.ts";
import { consolePathOf, returnPath } from "../../console-path.ts";
import { createLinks } from "../../links.ts";
import { goTo, type Reply } from "../../reply.ts";
import { connectAddress } from "./addresses.ts";
import { createCallerOf } from "./caller-of.ts";
import { flowCookie } from "./flow-cookie.ts";
import { showConnectPage } from "./identity-pages.tsx";
import { refusalOf, unknownJourney } from "./identity-refusals.ts";
import type { Provider } from "./provider.ts";
import { createSealedFlows, type SignInFlow } from "./sealed-flow.ts";

/** A longer one would not fit into the cookie. */
const longestTo = 2_000;

/** The way of a person to a provider and back, and what comes of it. */
export function createFlows(deps: Deps, door: Door) {
  const { settings } = deps;
  const links = createLinks(consolePathOf(settings).href);
  const session = sessionCookie(settings);
  const cookie = flowCookie(settings);
  const sealed = createSealedFlows(deps);
  const desk = identities(deps);
  const callerOf = createCallerOf(door);

  const offer = (provider: Provider, proven: Proven, to: string, caller: ConsoleCaller): Reply => {
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
  const arrive = async (ctx: Context, provider: Provider, journey: SignInFlow): Promise<Reply> => {
    const proven = await provider.finish(new URLSearchParams(ctx.querystring), journey.way);
    const caller = await callerOf.findCaller(ctx);
    const arrived = await desk.finishSignIn(proven, {
      startedBy: journey.startedBy,
      caller,
      sessionId: ctx.cookies.get(session.name),
      address: door.addressOf(ctx.req),
    });
    if (arrived.outcome === "refused") throw refusalOf(arrived.why, provider.name);
    if (arrived.outcome === "offered" && caller) return offer(provider, proven, journey.to, caller);
    if (arrived.outcome === "signed_in") session.set(ctx, arrived.session);
    return goTo(journey.to);
  };

  return {
    async start(ctx: Context, provider: Provider): Promise<Reply> {
      const asked = new URLSearchParams(ctx.querystring).get("to") ?? "";
      const to = returnPath(asked.length > longestTo ? "" : asked, settings.consoleUrl, links.home);
      const caller = await callerOf.findCaller(ctx);
      const { location, way } = await provider.begin();
      cookie.set(ctx, sealed.sealJourney({ providerId: provider.id, way, to, startedBy: caller?.userId }));
      return goTo(location);
    },

    /** A journey ends once, however it ends. */
    async finish(ctx: Context, provider: Provider): Promise<Reply> {
      const journey = sealed.openJourney(cookie.read(ctx));
      if (journey?.providerId !== provider.id) throw unknownJourney(provider.name);
      try {
        if (!(await desk.isFirst(journey.way.state))) throw unknownJourney(provider.name);
        return await arrive(ctx, provider, journey);
      } finally {
        cookie.clear(ctx);
      }
    },
  };
}
