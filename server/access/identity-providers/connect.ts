import type { Context } from "koa";
import { consolePathOf } from "../../console/console-path.ts";
import { readForm } from "../../console/form-values.tsx";
import { createLinks } from "../../console/links.ts";
import { goTo, type Reply } from "../../console/reply.ts";
import { senderOf } from "../../http/body/incoming-body.ts";
import type { Door } from "../../http/mount.ts";
import { identities } from "./api.ts";
import type { FlowDeps } from "./flows.ts";
import { refusalOf, unknownFlow } from "./identity-refusals.ts";
import type { Provider } from "./provider.ts";
import { createSealedFlows } from "./sealed-flow.ts";

/** Handles the form that connects a proven identity to the signed-in person's account. */
export function createConnect(deps: FlowDeps, door: Door) {
  const { signInMethods } = createLinks(consolePathOf(deps.settings).href);
  const sealed = createSealedFlows(deps);
  const { connect } = identities(deps);

  return async (ctx: Context, provider: Provider): Promise<Reply> => {
    const caller = await door.authenticate("session", door.readCredentials(ctx, true));
    const address = door.addressOf(ctx.req);
    const form = await readForm(ctx.req, { arrivals: door.arrivals, sender: senderOf(caller, address) });
    const given = sealed.openOffer(form.text("identity"));
    if (given?.proven.providerId !== provider.id) throw unknownFlow(provider.name);
    if (given.userId !== caller.userId) throw refusalOf("session_changed", provider.name);
    const proven = { ...given.proven, email: undefined };
    const user = { id: caller.userId, email: caller.email };
    const why = await connect(proven, user, address);
    if (why) throw refusalOf(why, provider.name);
    return given.to === signInMethods ? goTo(given.to, "connected") : goTo(given.to);
  };
}
