import type { Context } from "koa";
import type { Contract } from "../../src/contract/index.ts";
import { showSignIn } from "../access/sign-in/page/console.tsx";
import { pageOfPending, pendingFormOf, showAgain } from "../access/sign-in/pending-form.ts";
import type { Deps } from "../deps.ts";
import { createPageAnswering } from "../feedback/messages/presence.ts";
import { createPageViews } from "../feedback/unread/page-views.ts";
import { sessionCookie } from "../http/authenticate.ts";
import { counted } from "../http/body/read-body.ts";
import type { InvokeDeps } from "../http/call-steps.ts";
import type { Api, ConsoleCaller } from "../http/handler.ts";
import { senderOf } from "../http/network-addresses.ts";
import { createBodyReader, type SharedSteps } from "../http/request-steps.ts";
import { createAsks } from "./ask.ts";
import { refuseForeignForm, unlessSignedOut } from "./browser-request.ts";
import { type Form, neededFor, type UploadForm } from "./definitions.ts";
import { createPageDrafts } from "./drafts/api.ts";
import { noteDone } from "./drafts/routes.ts";
import { rememberForm } from "./error-page.tsx";
import { type Fields, fieldsOf, noFields, readForm } from "./forms.tsx";
import { type ConsolePath, createLinks, type Links, pageOfForm, returnPath } from "./links.ts";
import { type NotDone, type Notices, notDoneWord } from "./notices.ts";
import { createPageReads } from "./page-reads.ts";
import { goTo, type Reply } from "./respond.ts";
import type { PageNeeds, SignedInVisit, Visit } from "./visit.ts";

/** Creates the function that answers a form with files. The files are on the disk until the form is answered. */
export function createAnswerUpload(deps: ConsoleDeps, steps: SharedSteps, ofCaller: OfCaller) {
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

export type ConsoleDeps = InvokeDeps & Pick<Deps, "files" | "log" | "newId" | "stopping">;

interface ConsoleServer {
  readonly deps: ConsoleDeps;
  readonly steps: SharedSteps;
  readonly api: Api<Contract>;
  readonly notices: Notices;
}

/** Returns the visit of a signed-in person. If `sent` is given, the form was already read. */
type OfCaller = (
  ctx: Context,
  params: Params,
  known: { readonly caller: ConsoleCaller; readonly needs: PageNeeds; readonly sent?: Fields },
) => Promise<SignedInVisit>;

/** Whether a script or a browser requests the page in the background. */
const isLive = (ctx: Context): boolean =>
  ctx.get("x-innkeep-live") !== "" || ctx.get("sec-purpose").startsWith("prefetch");

/**
 * Creates the functions that turn a request into a visit. They find the caller, refuse forms from pages of other
 * servers, and read the fields of a form.
 */
export function createVisits({ deps, steps, api, notices }: ConsoleServer, { href, mountedAt }: ConsolePath) {
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
    const drafts = draftsOf(caller, steps.readCredentials(ctx, false), now);
    const own = {
      ...{ reads: readsOf(caller, now), views: viewsOf(caller, now) },
      ...{ drafts, answering: answeringOf(caller, now) },
    };
    return { ...visit, caller, needs, ...own, isLive: isLive(ctx) };
  };

  /** Returns the visit of a signed-in person. Throws `sign_in_required` without a valid console session. */
  const ofSignedIn = async (ctx: Context, params: Params, needs: PageNeeds): Promise<SignedInVisit> => {
    const caller = await steps.authenticate("session", steps.readCredentials(ctx, ctx.method === "POST"));
    return ofCaller(ctx, params, { caller, needs });
  };

  /**
   * Answers a form. If it was sent without a console session, the form is kept while the person signs in. Then its page
   * shows it again.
   */
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

  /**
   * Reads the fields of a form after an early error, such as a failed query for the console session. The error page
   * shows these fields.
   */
  const rememberUnread = async (ctx: Context, params: Params): Promise<void> => {
    if (!ctx.req.readableDidRead) await visitOf(ctx, params).catch(() => undefined);
  };
  /**
   * Shows the sign-in page for a form with files that was sent without a console session. It does not read the form.
   * The form's page says so after the sign-in.
   */
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

/** Creates the function that returns the visit of any person. If `sent` is given, the form was already read. */
function createVisitOf({ deps, steps, api, notices }: ConsoleServer, links: Links) {
  const asks = createAsks(api, deps);
  const cookie = sessionCookie(deps.settings);
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
    rememberForm(ctx.req, fields);
    return {
      settings: deps.settings,
      links,
      notices,
      now: deps.clock.now(),
      param: (name) => params[name] ?? "",
      query: (name) => query.get(name) ?? "",
      fields,
      ask: asks({
        caller,
        browser,
        address,
        setSession: (session) => cookie.set(ctx, session),
      }),
    };
  };
}
