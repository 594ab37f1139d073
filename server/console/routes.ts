import type { Context } from "koa";
import { appData } from "../../src/contract/app-data.ts";
import { incomingMails } from "../../src/contract/correspondence.ts";
import { ApiError } from "../../src/contract/errors.ts";
import type { Contract } from "../../src/contract/index.ts";
import { definitions as account } from "../access/accounts/page.tsx";
import { definitions as apps } from "../access/apps/page.tsx";
import { definitions as audit } from "../access/audit/page.tsx";
import { definitions as members } from "../access/members/page.tsx";
import { pageOfPending, pendingFormOf, showAgain } from "../access/sign-in/finish.tsx";
import { showSignIn, definitions as signIn } from "../access/sign-in/page/console.tsx";
import { definitions as signInMethods } from "../access/sign-in-methods/page.tsx";
import { definitions as start } from "../access/start/page.tsx";
import { definitions as tokens } from "../access/tokens/page.tsx";
import { definitions as entry } from "../content/changelog/page/entry.tsx";
import { definitions as changelog } from "../content/changelog/page/list.tsx";
import { definitions as faq } from "../content/faqs/page/entry.tsx";
import { definitions as faqs } from "../content/faqs/page/list.tsx";
import type { Deps } from "../deps.ts";
import { definitions as people } from "../erasure/page.tsx";
import { definitions as blocked } from "../feedback/blocked-senders/page.tsx";
import { definitions as home } from "../feedback/home/page.tsx";
import { definitions as savedReplies } from "../feedback/saved-replies/page.tsx";
import { definitions as search } from "../feedback/search/page.tsx";
import { definitions as numbers } from "../feedback/statistics/page.tsx";
import { definitions as tags } from "../feedback/tags/page.tsx";
import { definitions as allApps } from "../feedback/threads/page/all-apps.tsx";
import { definitions as inbox } from "../feedback/threads/page/desk-forms.ts";
import { definitions as thread } from "../feedback/threads/page/forms.ts";
import { definitions as olderMessages } from "../feedback/threads/page/older.tsx";
import { definitions as otherThreads } from "../feedback/threads/page/other-threads.tsx";
import { createPageAnswering, createPageViews } from "../feedback/threads/presence.ts";
import { sessionCookie } from "../http/authenticate.ts";
import { counted } from "../http/body/read-body.ts";
import type { InvokeDeps } from "../http/call-steps.ts";
import type { Api, ConsoleCaller } from "../http/handler.ts";
import { createBodyReader, mount, type Route, type SharedSteps } from "../http/pipeline.ts";
import { senderOf } from "../http/rate-limits/rate-limits.ts";
import { definitions as automaticMails } from "../mail/incoming/page.tsx";
import { definitions as ownNotices } from "../notices/choices/page.tsx";
import { definitions as cycle } from "../testing/cycles/page/cycle.tsx";
import { definitions as cycleReport } from "../testing/cycles/page/report.tsx";
import { definitions as listings } from "../testing/listings/page.tsx";
import { definitions as data } from "../transfer/page.tsx";
import { definitions as webhooks } from "../webhooks/endpoints/page.tsx";
import { assetRoutes } from "./assets.ts";
import {
  type Definitions,
  type Form,
  isForm,
  isOpenForm,
  isOpenPage,
  isPage,
  isUploadForm,
  neededFor,
  type OpenForm,
  type OpenPage,
  type Page,
  type PageNeeds,
  type SignedInVisit,
  type UploadForm,
  type Visit,
} from "./definitions.ts";
import { createPageDrafts } from "./drafts/api.ts";
import { draftRoutes, definitions as drafts, noteDone } from "./drafts/page.tsx";
import { type Fields, fieldsOf, noFields, readForm } from "./forms.tsx";
import { storeForm, storeNotDone } from "./layout.tsx";
import { type ConsolePath, consolePathOf, createLinks, type Links, pageOfForm, returnPath } from "./links.ts";
import { type NotDone, type Notices, notDoneWord, noticesOf } from "./notices.ts";
import { createAsks, createInvitedRead, createMailedInvitationRead, createPageReads } from "./page-reads.ts";
import {
  acceptsHtml,
  createRespond,
  goTo,
  type Reply,
  refuseForeignForm,
  unlessSignedOut,
} from "./respond.tsx";

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
        storeNotDone(ctx.req, form);
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
      storeNotDone(ctx.req, form);
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
 * Returns console routes for downloads. Links in a browser send no token, so the API would refuse the request.
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
  ...[
    ...search,
    ...allApps,
    ...inbox,
    ...thread,
    ...olderMessages,
    ...otherThreads,
    ...tags,
    ...numbers,
    ...savedReplies,
    ...blocked,
    ...automaticMails,
  ],
  ...[...faqs, ...faq, ...changelog, ...entry],
  ...[...listings, ...cycle, ...cycleReport],
  ...[...members, ...start, ...apps, ...data, ...webhooks],
  ...[...tokens, ...signInMethods, ...account, ...ownNotices, ...people, ...audit, ...drafts],
  ...signIn,
];

export const pages: readonly Page[] = definitions.filter(isPage);

export const uploadForms: readonly UploadForm[] = definitions.filter(isUploadForm);

export const forms: readonly Form[] = definitions.filter(isForm);

const openPages: readonly OpenPage[] = definitions.filter(isOpenPage);

const openForms: readonly OpenForm[] = definitions.filter(isOpenForm);

/** The notices of all forms. A notice says whether the action of a form was done. */
export const notices = noticesOf([...forms, ...uploadForms], openForms);

/** Creates the function that answers a form with files. Throws `forbidden` for a form of another site. */
function createAnswerUpload(deps: ConsoleDeps, steps: SharedSteps, ofCaller: OfCaller) {
  const readBody = createBodyReader(deps, steps);
  return async (
    ctx: Context,
    params: Readonly<Record<string, string>>,
    form: UploadForm,
  ): Promise<Reply<string>> => {
    const browser = steps.readCredentials(ctx, true);
    refuseForeignForm(browser, deps.settings);
    const caller = await steps.authenticate("session", browser);
    const judging = { arrivals: steps.arrivals, sender: senderOf(caller, steps.addressOf(ctx.req)) };
    const { value, discard } = await counted(judging, () =>
      readBody(ctx, form.body, { caller, idempotencyKey: undefined }),
    );
    try {
      const body = Object.fromEntries(Object.entries(Object(value)));
      const texts = Object.entries(body).flatMap(([name, text]) =>
        typeof text === "string" ? [[name, text]] : [],
      );
      const sent = fieldsOf(new URLSearchParams(texts));
      const visit = { ...(await ofCaller(ctx, params, { caller, sent, needs: neededFor(form) })), body };
      return await noteDone(ctx, visit, await form.act(visit));
    } finally {
      if (discard) await discard();
    }
  };
}

type Params = Readonly<Record<string, string>>;

type ConsoleDeps = InvokeDeps & Pick<Deps, "files" | "log" | "newId" | "stopping">;

interface ConsoleServer {
  readonly deps: ConsoleDeps;
  readonly steps: SharedSteps;
  readonly api: Api<Contract>;
  readonly notices: Notices;
}

/** Returns the visit of a signed-in person. `sent` contains the fields of the form if it was already read. */
type OfCaller = (
  ctx: Context,
  params: Params,
  known: { readonly caller: ConsoleCaller; readonly needs: PageNeeds; readonly sent?: Fields },
) => Promise<SignedInVisit>;

/** Whether the page is requested in the background, by a script or by the browser. */
const isLive = (ctx: Context): boolean =>
  ctx.get("x-innkeep-live") !== "" || ctx.get("sec-purpose").startsWith("prefetch");

/**
 * Creates the functions that return the visit of a request. The functions throw `forbidden` for a form of
 * another site.
 */
function createVisits({ deps, steps, api, notices }: ConsoleServer, { href, mountedAt }: ConsolePath) {
  const readsOf = createPageReads(deps);
  const viewsOf = createPageViews(deps);
  const draftsOf = createPageDrafts(deps);
  const answeringOf = createPageAnswering(deps);
  const links = createLinks(href);
  const visitOf = createVisitOf({ deps, steps, api, notices }, links);

  const ofCaller: OfCaller = async (ctx, params, known) => {
    const visit = await visitOf(ctx, params, known);
    const { caller, needs } = known;
    const { now } = visit;
    return {
      ...visit,
      ...{ caller, needs, reads: readsOf(caller, now), isLive: isLive(ctx) },
      // Each getter creates its functions when a page uses them, because most pages do not need the functions.
      get views() {
        return viewsOf(caller, now);
      },
      get drafts() {
        return draftsOf(caller, steps.readCredentials(ctx, false), now);
      },
      get answering() {
        return answeringOf(caller, now);
      },
    };
  };

  /** Returns the visit of a signed-in person. Throws `sign_in_required` without a valid console session. */
  const ofSignedIn = async (ctx: Context, params: Params, needs: PageNeeds): Promise<SignedInVisit> => {
    const caller = await steps.authenticate("session", steps.readCredentials(ctx, ctx.method === "POST"));
    return ofCaller(ctx, params, { caller, needs });
  };

  /** Answers a form. Without a console session, the form is kept during the sign-in, and then shown again. */
  const answerForm = async (ctx: Context, params: Params, form: Form): Promise<Reply<string>> => {
    const page = pageOfForm(ctx);
    const visit = await unlessSignedOut(() => ofSignedIn(ctx, params, neededFor(form)));
    if (!visit) {
      const unsigned = await visitOf(ctx, params);
      const from = pageOfPending(unsigned.fields) ?? page;
      const action = href + (ctx.req.url ?? "").slice(mountedAt.length);
      const kept = pendingFormOf(unsigned.fields, { form, action, page: from });
      return showSignIn(unsigned, { to: from, kept });
    }
    const from = pageOfPending(visit.fields);
    if (from === undefined) return noteDone(ctx, visit, await form.act(visit));
    return (
      (await showAgain(visit, form)) ??
      goTo(returnPath(from, deps.settings.consoleUrl, links.home), notDoneWord(form))
    );
  };

  /** Reads the form for the error page if the request failed before its form was read. */
  const rememberUnread = async (ctx: Context, params: Params): Promise<void> => {
    if (!ctx.req.readableDidRead) await visitOf(ctx, params).catch(() => undefined);
  };

  /** Shows the sign-in page for a form with files. After the sign-in, a notice says that nothing was done. */
  const askToSignIn = async (ctx: Context, params: Params, lost: NotDone): Promise<Reply> =>
    showSignIn(await visitOf(ctx, params, { sent: noFields }), { to: pageOfForm(ctx), lost });

  return {
    ofAnybody: (ctx: Context, params: Params) => visitOf(ctx, params),
    askToSignIn,
    ofSignedIn,
    answerForm,
    ofCaller,
    rememberUnread,
  };
}

/**
 * Creates the function that returns a visit. `sent` is an already read form. Throws `forbidden` for another
 * site's form.
 */
function createVisitOf({ deps, steps, api, notices }: ConsoleServer, links: Links) {
  const asks = createAsks(api, deps);
  const cookie = sessionCookie(deps.settings);
  const invited = createInvitedRead(deps);
  const mailedInvitation = createMailedInvitationRead(deps);
  return async (
    ctx: Context,
    params: Params,
    { caller, sent }: { readonly caller?: ConsoleCaller; readonly sent?: Fields } = {},
  ): Promise<Visit> => {
    const browser = steps.readCredentials(ctx, ctx.method === "POST");
    refuseForeignForm(browser, deps.settings);
    const query = new URLSearchParams(ctx.querystring);
    const address = steps.addressOf(ctx.req);
    const fields =
      sent ??
      (browser.mutates
        ? await readForm(ctx.req, { arrivals: steps.arrivals, sender: senderOf(caller, address) })
        : noFields);
    storeForm(ctx.req, fields);
    return {
      settings: deps.settings,
      links,
      notices,
      now: deps.clock.now(),
      param: (name) => params[name] ?? "",
      query: (name) => query.get(name) ?? "",
      fields,
      invited,
      mailedInvitation,
      ask: asks({
        caller,
        browser,
        address,
        setSession: (session) => cookie.set(ctx, session),
      }),
    };
  };
}
