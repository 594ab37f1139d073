import { appData } from "../../src/contract/app-data.ts";
import { ApiError } from "../../src/contract/errors.ts";
import type { Contract } from "../../src/contract/index.ts";
import { incomingMails } from "../../src/contract/mails.ts";
import { accountLinkRoutes } from "../access/sign-in/page/account-links.tsx";
import { signIn, signInPage } from "../access/sign-in/page/console.tsx";
import type { Deps } from "../deps.ts";
import type { Api } from "../http/handler.ts";
import { type Door, mount, type Route } from "../http/mount.ts";
import { assetRoutes } from "./assets.ts";
import { acceptsHtml, unlessSignedOut } from "./browser-request.ts";
import { draftRoutes } from "./drafts/routes.ts";
import { rememberAct } from "./error-page.tsx";
import { consolePathOf, createLinks, type Links } from "./links.ts";
import type { Act } from "./notices.ts";
import { forms, pages, uploadForms } from "./page-routes.ts";
import { createRespond } from "./respond.ts";
import type { PageHandler, SignedInVisit, Visit } from "./visit.ts";
import { type ConsoleDeps, createAnswerUpload, createVisits } from "./visits.ts";

/** The pages, forms and assets of the console. */
export function consoleRoutes(deps: ConsoleDeps, door: Door, api: Api<Contract>): Route[] {
  const consolePath = consolePathOf(deps.settings);
  const patterns = createLinks(consolePath.mountedAt);
  const respond = createRespond(deps.settings, door);
  const visits = createVisits({ deps, door, api }, consolePath);

  const open = (method: "GET" | "POST", path: string, answer: PageHandler<Visit>): Route => ({
    method,
    path,
    async answer(ctx, params) {
      await respond(ctx, await answer(await visits.ofAnybody(ctx, params)));
    },
  });
  const page = (path: string, answer: PageHandler<SignedInVisit>): Route => ({
    method: "GET",
    path,
    async answer(ctx, params) {
      await respond(ctx, await answer(await visits.ofSignedIn(ctx, params)));
    },
  });
  const form = (path: string, answer: PageHandler<SignedInVisit>, act: Act): Route => ({
    method: "POST",
    path,
    async answer(ctx, params) {
      try {
        await respond(ctx, await visits.answerForm(ctx, params, { answer, act }));
      } catch (error) {
        rememberAct(ctx.req, act);
        await visits.rememberUnread(ctx, params);
        throw error;
      }
    },
  });
  const answerUpload = createAnswerUpload(deps, door, visits.ofCaller);
  const upload = ([path, endpoint, handle, act]: ReturnType<typeof uploadForms>[number]): Route => ({
    method: "POST",
    path,
    async answer(ctx, params) {
      rememberAct(ctx.req, act);
      const answered = await unlessSignedOut(() => answerUpload(ctx, params, { endpoint, answer: handle }));
      await respond(ctx, answered ?? (await visits.askToSignIn(ctx, params, act)));
    },
  });
  return [
    ...assetRoutes(patterns),
    ...(patterns.home === "/" ? [] : [rootRedirect(deps.settings)]),
    open("GET", patterns.signIn, signInPage),
    open("POST", patterns.signIn, signIn),
    ...accountLinkRoutes(patterns).map(([method, path, answer]) => open(method, path, answer)),
    ...pages(patterns).map(([path, answer]) => page(path, answer)),
    ...uploadForms(patterns).map(upload),
    ...downloadRoutes(deps, door, api)(patterns),
    ...forms(patterns).map(([path, answer, act]) => form(path, answer, act)),
    ...draftRoutes(patterns, visits.ofSignedIn),
  ];
}

/** Downloads as the API answers them: a page has the cookie of the console alone. */
const downloadRoutes =
  (deps: ConsoleDeps, door: Door, { handlers }: Api<Contract>) =>
  (at: Links): Route[] => {
    const exports = mount(
      {
        contract: { appData: { export: appData.export } },
        handlers: { appData: { export: handlers.appData.export } },
      },
      deps,
      door,
    );
    const originals = mount(
      {
        contract: { incomingMails: { original: incomingMails.original } },
        handlers: { incomingMails: { original: handlers.incomingMails.original } },
      },
      deps,
      door,
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
