import type { Context } from "koa";
import type { Deps } from "../../../deps.ts";
import { senderOf } from "../../../http/bodies/arrivals.ts";
import type { Door } from "../../../http/mount.ts";
import { identities } from "../../../routes/access/identities.ts";
import { consolePathOf } from "../../console-path.ts";
import { readForm } from "../../kit/form/read-form.ts";
import { createLinks } from "../../links.ts";
import { goTo, type Reply } from "../../reply.ts";
import { createCallerOf } from "./caller-of.ts";
import { refusalOf, unknownJourney } from "./identity-refusals.ts";
import type { Provider } from "./provider.ts";
import { createSealedFlows } from "./sealed-flow.ts";

/** Takes the form by which a person confirms that a proven identity opens their account. */
export function createConnect(deps: Deps, door: Door) {
  const { signInMethods } = createLinks(consolePathOf(deps.settings).href);
  const sealed = createSealedFlows(deps);
  const desk = identities(deps);
  const callerOf = createCallerOf(door);

  return async (ctx: Context, provider: Provider): Promise<Reply> => {
    const caller = await callerOf.requireCaller(ctx);
    const address = door.addressOf(ctx.req);
    const form = await readForm(ctx.req, { arrivals: door.arrivals, sender: senderOf(caller, address) });
    const given = sealed.openOffer(form.text("identity"));
    if (given?.proven.providerId !== provider.id) throw unknownJourney(provider.name);
    if (given.userId !== caller.userId) throw refusalOf("session_changed", provider.name);
    const proven = { ...given.proven, email: undefined };
    const user = { id: caller.userId, email: caller.email };
    const why = await desk.connect(proven, user, address);
    if (why) throw refusalOf(why, provider.name);
    return given.to === signInMethods ? goTo(given.to, "connected") : goTo(given.to);
  };
}
