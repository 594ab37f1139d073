import { appData } from "../../src/contract/app-data.ts";
import { ApiError } from "../../src/contract/errors.ts";
import type { Contract } from "../../src/contract/index.ts";
import { incomingMails } from "../../src/contract/mails.ts";
import { accountLinkRoutes } from "../access/sign-in/page/account-links.tsx";
import { signIn, signInPage } from "../access/sign-in/page/console.tsx";
import type { Deps } from "../deps.ts";
import type { Api } from "../http/handler.ts";
import { mount, type RequestSteps, type Route } from "../http/mount.ts";
import { assetRoutes } from "./assets.ts";
import { acceptsHtml, unlessSignedOut } from "./browser-request.ts";
import type { Form, Page, UploadForm } from "./definitions.ts";
import { draftRoutes } from "./drafts/routes.ts";
import { rememberNotDone } from "./error-page.tsx";
import { consolePathOf, createLinks, type Links } from "./links.ts";
import type { DoneElsewhere } from "./notices.ts";
import { forms, notices, pages, uploadForms } from "./page-routes.ts";
import { createRespond } from "./respond.ts";
import type { PageHandler, Visit } from "./visit.ts";
import { type ConsoleDeps, createAnswerUpload, createVisits } from "./visits.ts";

/** The pages, forms and assets of the console. */
export function consoleRoutes(deps: ConsoleDeps, steps: RequestSteps, api: Api<Contract>): Route[] {
  const consolePath = consolePathOf(deps.settings);
  const patterns = createLinks(consolePath.mountedAt);
  const respond = createRespond(deps.settings, steps);
  const visits = createVisits({ deps, steps, api, notices }, consolePath);

  const open = (method: "GET" | "POST", path: string, answer: PageHandler<Visit, DoneElsewhere>): Route => ({
    method,
    path,
    async answer(ctx, params) {
      await respond(ctx, await answer(await visits.ofAnybody(ctx, params)));
    },
  });
  const pageRoute = ({ at, needs, show }: Page): Route => ({
    method: "GET",
    path: at(patterns),
    async answer(ctx, params) {
      await respond(ctx, await show(await visits.ofSignedIn(ctx, params, needs)));
    },
  });
  const formRoute = (form: Form): Route => ({
    method: "POST",
    path: form.at(patterns),
    async answer(ctx, params) {
      try {
        await respond(ctx, await visits.answerForm(ctx, params, form));
      } catch (error) {
        rememberNotDone(ctx.req, form);
        await visits.rememberUnread(ctx, params);
        throw error;
      }
    },
  });
  const answerUpload = createAnswerUpload(deps, steps, visits.ofCaller);
  const uploadRoute = (form: UploadForm): Route => ({
    method: "POST",
    path: form.at(patterns),
    async answer(ctx, params) {
      rememberNotDone(ctx.req, form);
      const answered = await unlessSignedOut(() => answerUpload(ctx, params, form));
      await respond(ctx, answered ?? (await visits.askToSignIn(ctx, params, form)));
    },
  });
  return [
    ...assetRoutes(patterns),
    ...(patterns.home === "/" ? [] : [rootRedirect(deps.settings)]),
    open("GET", patterns.signIn, signInPage),
    open("POST", patterns.signIn, signIn),
    ...accountLinkRoutes(patterns).map(([method, path, answer]) => open(method, path, answer)),
    ...pages.map(pageRoute),
    ...uploadForms.map(uploadRoute),
    ...downloadRoutes(deps, steps, api)(patterns),
    ...forms.map(formRoute),
    ...draftRoutes(patterns, (ctx, params) => visits.ofSignedIn(ctx, params, "account")),
  ];
}

/** Downloads as the API answers them: a page has the cookie of the console alone. */
const downloadRoutes =
  (deps: ConsoleDeps, steps: RequestSteps, { handlers }: Api<Contract>) =>
  (at: Links): Route[] => {
    const exports = mount(
      {
        contract: { appData: { export: appData.export } },
        handlers: { appData: { export: handlers.appData.export } },
      },
      deps,
      steps,
    );
    const originals = mount(
      {
        contract: { incomingMails: { original: incomingMails.original } },
        handlers: { incomingMails: { original: handlers.incomingMails.original } },
      },
      deps,
      steps,
    );
    return [
      ...exports.map((route) => ({ ...route, path: at.data(":appId", "download") })),
      ...originals.map((route) => ({ ...route, path: at.original(":mailId") })),
    ];
  };

/** Sends a browser that opens the server's root to the console. API clients find nothing there. */
const rootRedirect = ({ consoleUrl }: Pick<Deps["settings"], "consoleUrl">): Route => ({
  method: "GET",
  path: "/",
  async answer(ctx) {
    if (!acceptsHtml(ctx)) throw new ApiError("not_found");
    ctx.set("Cache-Control", "no-store");
    ctx.set("Vary", "Accept");
    ctx.redirect(consoleUrl);
  },
});
