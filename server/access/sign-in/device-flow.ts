import type { Contract } from "../../../src/contract/index.ts";
import { answerWithErrorPage, type ShowError } from "../../console/error-page.tsx";
import { createRespond } from "../../console/respond.ts";
import type { Deps } from "../../deps.ts";
import type { Api } from "../../http/api.ts";
import { answerErrors } from "../../http/errors.ts";
import type { Door, Route } from "../../http/mount.ts";
import { authorizePage, decide } from "./authorize.ts";
import { showDeviceSignInError } from "./device-parts.tsx";
import { createDeviceSignInVisits, type DeviceSignInHandler, type VisitDeps } from "./device-visit.ts";
import { codePage } from "./page/sign-in-code-page.tsx";
import { deviceSignInPaths } from "./paths.ts";
import { signIn, signInPage, signUp, signUpPage, switchAccount } from "./sign-in-forms.ts";

/** The pages on which a person signs a device in. (rule S3) */
export function deviceSignInRoutes(
  deps: VisitDeps & Pick<Deps, "log">,
  door: Door,
  api: Api<Contract>,
): Route[] {
  const visitOf = createDeviceSignInVisits(deps, door, api);
  const respond = createRespond(deps.settings, door);
  const showError: ShowError = (ctx, error, links) =>
    showDeviceSignInError(links, error, String(ctx.state.requestId));
  const orErrorPage = answerErrors(deps, answerWithErrorPage({ settings: deps.settings, door }, showError));
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
