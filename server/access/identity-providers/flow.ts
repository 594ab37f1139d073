import type { Context } from "koa";
import { ApiError } from "../../../src/contract/errors.ts";
import { answerWithErrorPage, type ShowError } from "../../console/error-page.tsx";
import type { Reply } from "../../console/reply.ts";
import { createRespond } from "../../console/respond.ts";
import type { Deps } from "../../deps.ts";
import { answerErrors } from "../../http/errors.ts";
import type { Door, Route } from "../../http/mount.ts";
import { callbackAddress, callbackPath, connectPath, startPath } from "./addresses.ts";
import { createConnect } from "./connect.ts";
import { createFlows, type FlowDeps } from "./flows.ts";
import { showIdentityRefusal } from "./page.tsx";
import { createProvider, type Provider } from "./provider.ts";

/** Signing in with the deployment's OpenID Connect providers, and connecting them to accounts. (rule S2) */
export function identityRoutes(deps: FlowDeps & Pick<Deps, "log">, door: Door): Route[] {
  const { settings, clock } = deps;
  const providers = new Map(
    settings.identityProviders.map((one) => [
      one.id,
      createProvider(one, callbackAddress(settings, one.id), clock),
    ]),
  );
  const respond = createRespond(settings, door);
  const showError: ShowError = (_, error, links) => showIdentityRefusal(links, error);
  const answerWithPage = answerWithErrorPage({ settings, door }, showError);
  const orErrorPage = answerErrors(deps, (ctx, error) => {
    logRefusal(deps, ctx, error);
    return answerWithPage(ctx, error);
  });
  const route = (
    method: "GET" | "POST",
    path: string,
    answer: (ctx: Context, provider: Provider) => Promise<Reply>,
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
  const { start, finish } = createFlows(deps, door);
  return [
    route("GET", startPath, start),
    route("GET", callbackPath, finish),
    route("POST", connectPath, createConnect(deps, door)),
  ];
}

/** Logs why a sign-in was refused, so that the operator can find a wrong provider setting. */
function logRefusal({ log }: Pick<Deps, "log">, ctx: Context, error: ApiError): void {
  if (error.cause === undefined || error.status >= 500) return;
  log.warn({ requestId: ctx.state.requestId, route: ctx.state.route, err: error.cause }, "sign-in refused");
}
