import { connectionConsent, consentPath } from "../../../src/contract/connection-consent.ts";
import type { Contract } from "../../../src/contract/index.ts";
import { answerWithErrorPage, type ShowError } from "../../console/error-page.tsx";
import { createRespond } from "../../console/respond.ts";
import type { Deps } from "../../deps.ts";
import type { Api } from "../../http/api.ts";
import { answerErrors } from "../../http/errors.ts";
import type { Door, Route } from "../../http/mount.ts";
import {
  createDeviceSignInVisits,
  type DeviceSignInReply,
  type DeviceSignInVisit,
  type VisitDeps,
} from "../sign-in/device-visit.ts";
import { connectionConsentHandlers } from "./api/consent.ts";
import { consentPage, decideOnConsent } from "./consent.ts";
import { answerConsentFault, showConsentError } from "./error-page.ts";

type ConsentDeps = VisitDeps & Pick<Deps, "log" | "readClientDocument">;

/** The page on which a person allows an agent to connect, and its form. */
export function consentRoutes(deps: ConsentDeps, door: Door, api: Api<Contract>): Route[] {
  const { settings } = deps;
  if (!settings.mcp) return [];
  const withConsent = {
    contract: { ...api.contract, connectionConsent },
    handlers: { ...api.handlers, connectionConsent: connectionConsentHandlers(deps) },
  };
  const visitOf = createDeviceSignInVisits(deps, door, withConsent);
  const respond = createRespond(settings, door);
  const showError: ShowError = (ctx, error, links) =>
    showConsentError(links, error, String(ctx.state.requestId));
  const answerWithPage = answerWithErrorPage({ settings, door }, showError);
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
