import type { Context } from "koa";
import { ApiError } from "../../../../src/contract/errors.ts";
import type { Deps } from "../../../deps.ts";
import { asApiError, report } from "../../../http/errors.ts";
import type { Door, Route } from "../../../http/mount.ts";
import { consolePathOf } from "../../console-path.ts";
import { createLinks } from "../../links.ts";
import type { Reply } from "../../reply.ts";
import { createRespond } from "../../respond.ts";
import { callbackAddress, callbackPath, connectPath, startPath } from "./addresses.ts";
import { createConnect } from "./connect.ts";
import { createFlows } from "./flows.ts";
import { showIdentityRefusal } from "./identity-pages.tsx";
import { createProvider, type Provider } from "./provider.ts";

/** Signing in with the deployment's OpenID Connect providers, and connecting them to accounts. (rule S2) */
export function identityRoutes(deps: Deps, door: Door): Route[] {
  const { settings, clock } = deps;
  const providers = new Map(
    settings.identityProviders.map((one) => [
      one.id,
      createProvider(one, callbackAddress(settings, one.id), clock),
    ]),
  );
  const orPage = createOrPage(deps);
  const route = (
    method: "GET" | "POST",
    path: string,
    answer: (ctx: Context, provider: Provider) => Promise<Reply>,
  ): Route => ({
    method,
    path,
    answer: (ctx, params) =>
      orPage(ctx, async () => {
        const provider = providers.get(params.provider ?? "");
        if (!provider) throw new ApiError("not_found");
        return answer(ctx, provider);
      }),
  });
  const { start, finish } = createFlows(deps, door);
  return [
    route("GET", startPath, start),
    route("GET", callbackPath, finish),
    route("POST", connectPath, createConnect(deps, door)),
  ];
}

/** Sends a reply; where it fails, a page to browsers. Everybody else gets the error as JSON. */
function createOrPage(deps: Pick<Deps, "settings" | "log">) {
  const links = createLinks(consolePathOf(deps.settings).href);
  const respond = createRespond(deps.settings);
  return async (ctx: Context, make: () => Promise<Reply>): Promise<void> => {
    try {
      respond(ctx, await make());
    } catch (thrown) {
      const error = asApiError(thrown);
      tellWhy(deps, ctx, error);
      if (!String(ctx.req.headers.accept).includes("text/html")) throw thrown;
      report(deps, ctx, error, thrown);
      respond(ctx, showIdentityRefusal(links, error));
    }
  };
}

/** A provider that is set up wrongly refuses everybody: the log tells its operator why. */
function tellWhy({ log }: Pick<Deps, "log">, ctx: Context, error: ApiError): void {
  if (error.cause === undefined || error.status >= 500) return;
  log.warn({ requestId: ctx.state.requestId, route: ctx.state.route, err: error.cause }, "sign-in refused");
}
