import { appData } from "../../src/contract/app-data.ts";
import { ApiError } from "../../src/contract/errors.ts";
import type { Contract } from "../../src/contract/index.ts";
import { incomingMails } from "../../src/contract/mails.ts";
import { definitions as account } from "../access/accounts/page.tsx";
import { definitions as apps } from "../access/apps/page.tsx";
import { definitions as audit } from "../access/audit/page.tsx";
import { definitions as devices } from "../access/devices/page.tsx";
import { definitions as members } from "../access/members/page.tsx";
import { definitions as accountLinks } from "../access/sign-in/page/account-links.tsx";
import { definitions as signIn } from "../access/sign-in/page/console.tsx";
import { definitions as signInMethods } from "../access/sign-in-methods/page.tsx";
import { definitions as tokens } from "../access/tokens/page.tsx";
import { definitions as entry } from "../content/changelog/page/entry.tsx";
import { definitions as changelog } from "../content/changelog/page/list.tsx";
import { definitions as faqs } from "../content/faqs/page.tsx";
import type { Deps } from "../deps.ts";
import { definitions as people } from "../erasure/page.tsx";
import { definitions as blocked } from "../feedback/blocked-senders/page.tsx";
import { definitions as home } from "../feedback/home/page.tsx";
import { definitions as inbox } from "../feedback/inbox/page.tsx";
import { definitions as savedReplies } from "../feedback/saved-replies/page.tsx";
import { definitions as tags } from "../feedback/tags/page.tsx";
import { definitions as thread } from "../feedback/threads/page/forms.ts";
import type { Api } from "../http/handler.ts";
import { mount } from "../http/pipeline.ts";
import type { Route, SharedSteps } from "../http/request-steps.ts";
import { definitions as automaticMails } from "../mail/incoming/page.tsx";
import { definitions as cycle } from "../testing/cycles/page/cycle.tsx";
import { definitions as cycleReport } from "../testing/cycles/page/report.tsx";
import { definitions as listings } from "../testing/listings/page/list.tsx";
import { definitions as listing } from "../testing/listings/page/listing.tsx";
import { definitions as data } from "../transfer/page.tsx";
import { assetRoutes } from "./assets.ts";
import { acceptsHtml, unlessSignedOut } from "./browser-request.ts";
import {
  type Definitions,
  type Form,
  isForm,
  isOpenForm,
  isOpenPage,
  isPage,
  isUploadForm,
  type OpenForm,
  type OpenPage,
  type Page,
  type UploadForm,
} from "./definitions.ts";
import { definitions as drafts } from "./drafts/page.tsx";
import { draftRoutes } from "./drafts/routes.ts";
import { rememberNotDone } from "./error-page.tsx";
import { consolePathOf, createLinks, type Links } from "./links.ts";
import { noticesOf } from "./notices.ts";
import { createRespond } from "./respond.ts";
import { type ConsoleDeps, createAnswerUpload, createVisits } from "./visits.ts";

/** Returns the routes of the console's pages, forms and assets. */
export function consoleRoutes(deps: ConsoleDeps, steps: SharedSteps, api: Api<Contract>): Route[] {
  const consolePath = consolePathOf(deps.settings);
  const patterns = createLinks(consolePath.mountedAt);
  const respond = createRespond(deps.settings, steps);
  const visits = createVisits({ deps, steps, api, notices }, consolePath);

  const openPageRoute = ({ at, show }: OpenPage): Route => ({
    method: "GET",
    path: at(patterns),
    async answer(ctx, params) {
      await respond(ctx, await show(await visits.ofAnybody(ctx, params)));
    },
  });
  const openFormRoute = ({ at, act }: OpenForm): Route => ({
    method: "POST",
    path: at(patterns),
    async answer(ctx, params) {
      await respond(ctx, await act(await visits.ofAnybody(ctx, params)));
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
    ...openPages.map(openPageRoute),
    ...openForms.map(openFormRoute),
    ...pages.map(pageRoute),
    ...uploadForms.map(uploadRoute),
    ...downloadRoutes(deps, steps, api)(patterns),
    ...forms.map(formRoute),
    ...draftRoutes(patterns, (ctx, params) => visits.ofSignedIn(ctx, params, "account")),
  ];
}

/**
 * The downloads from endpoints of the API. They have addresses of the console, because a browser that follows a link
 * sends no token.
 */
const downloadRoutes =
  (deps: ConsoleDeps, steps: SharedSteps, { handlers }: Api<Contract>) =>
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

/** Redirects a browser from the root of the server to the console. Other clients get `not_found`. */
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

/** All pages and forms of the console. A new page must be imported and added to this list. */
const definitions: Definitions = [
  ...home,
  ...[...inbox, ...thread, ...tags, ...savedReplies, ...blocked, ...automaticMails],
  ...[...faqs, ...changelog, ...entry],
  ...[...listings, ...listing, ...cycle, ...cycleReport],
  ...[...members, ...apps, ...data],
  ...[...tokens, ...signInMethods, ...account, ...people, ...devices, ...audit, ...drafts],
  ...[...signIn, ...accountLinks],
];

export const pages: readonly Page[] = definitions.filter(isPage);

export const uploadForms: readonly UploadForm[] = definitions.filter(isUploadForm);

export const forms: readonly Form[] = definitions.filter(isForm);

const openPages: readonly OpenPage[] = definitions.filter(isOpenPage);

const openForms: readonly OpenForm[] = definitions.filter(isOpenForm);

/** The notices of all forms, for forms that were done and forms that were not. */
export const notices = noticesOf([...forms, ...uploadForms], openForms);
