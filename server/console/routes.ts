import type { Context } from "koa";
import { ApiError } from "../../src/contract/errors.ts";
import type { Contract } from "../../src/contract/index.ts";
import type { Deps } from "../deps.ts";
import type { Api } from "../http/api.ts";
import { isOwnOrigin } from "../http/authenticate.ts";
import { senderOf } from "../http/bodies/arrivals.ts";
import type { Door, Route } from "../http/mount.ts";
import type { PresentedCredentials } from "../http/presented-credentials.ts";
import { sessionCookie } from "../http/session-cookie.ts";
import { createAsks } from "./ask.ts";
import { assetRoutes } from "./assets/asset-routes.ts";
import { type ConsolePath, consolePathOf, pageOfForm, returnPath } from "./console-path.ts";
import { noFields, readForm } from "./kit/form/read-form.ts";
import { createLinks } from "./links.ts";
import { forms, pages } from "./page-routes.ts";
import { rememberForm } from "./pages/error/unsaved-text.ts";
import { goTo, type Reply } from "./reply.ts";
import { createRespond } from "./respond.ts";
import { signIn } from "./sign-in/console-session-forms.ts";
import { showSignIn, signInPage } from "./sign-in/page.tsx";
import { askingOnly, pageOfPending, pendingFormOf } from "./sign-in/pending-form.ts";
import type { Answer, SignedInVisit, Visit } from "./visit.ts";

/** The pages, forms and assets of the console. */
export function consoleRoutes(deps: Deps, door: Door, api: Api<Contract>): Route[] {
  const place = consolePathOf(deps.settings);
  const patterns = createLinks(place.mountedAt);
  const respond = createRespond(deps.settings);
  const visits = createVisits({ deps, door, api }, place);

  const open = (method: "GET" | "POST", path: string, answer: Answer<Visit>): Route => ({
    method,
    path,
    async answer(ctx, params) {
      respond(ctx, await answer(await visits.ofAnybody(ctx, params, method === "POST")));
    },
  });
  const page = (path: string, answer: Answer<SignedInVisit>): Route => ({
    method: "GET",
    path,
    async answer(ctx, params) {
      respond(ctx, await answer(await visits.ofSignedIn(ctx, params, false)));
    },
  });
  const form = (path: string, answer: Answer<SignedInVisit>): Route => ({
    method: "POST",
    path,
    async answer(ctx, params) {
      try {
        respond(ctx, await visits.answerForm(ctx, params, answer));
      } catch (error) {
        await visits.rememberUnread(ctx, params);
        throw error;
      }
    },
  });
  return [
    ...assetRoutes(patterns),
    ...(patterns.home === "/" ? [] : [frontDoor(deps.settings)]),
    open("GET", patterns.signIn, signInPage),
    open("POST", patterns.signIn, signIn),
    ...pages(patterns).map(([path, answer]) => page(path, answer)),
    ...forms(patterns).map(([path, answer]) => form(path, answer)),
  ];
}

/** Leads a browser that opens the server's own address to the console; there is nothing there for API clients. */
const frontDoor = ({ consoleUrl }: Pick<Deps["settings"], "consoleUrl">): Route => ({
  method: "GET",
  path: "/",
  async answer(ctx) {
    if (!String(ctx.req.headers.accept).includes("text/html")) throw new ApiError("not_found");
    ctx.set("Cache-Control", "no-store");
    ctx.set("Vary", "Accept");
    ctx.redirect(consoleUrl);
  },
});

type Params = Readonly<Record<string, string>>;

/** Makes visits of requests: finds the caller, refuses forms of foreign pages, reads what a form sent. */
interface Serving {
  readonly deps: Deps;
  readonly door: Door;
  readonly api: Api<Contract>;
}

function createVisits({ deps, door, api }: Serving, { href, mountedAt }: ConsolePath) {
  const asks = createAsks(api, deps);
  const cookie = sessionCookie(deps.settings);
  const links = createLinks(href);

  const visitOf = async (
    ctx: Context,
    params: Params,
    browser: PresentedCredentials,
    caller?: SignedInVisit["caller"],
  ) => {
    if (browser.mutates && !isOwnOrigin(browser.origin, deps.settings)) throw foreignForm();
    const query = new URLSearchParams(ctx.querystring);
    const address = door.addressOf(ctx.req);
    const sending = { arrivals: door.arrivals, sender: senderOf(caller, address) };
    const fields = browser.mutates ? await readForm(ctx.req, sending) : noFields;
    rememberForm(ctx.req, fields);
    return {
      deps,
      links,
      now: deps.clock.now(),
      param: (name: string) => params[name] ?? "",
      query: (name: string) => query.get(name) ?? "",
      fields,
      ask: asks({
        caller,
        browser,
        address,
        setSession: (session) => cookie.set(ctx, session),
      }),
    };
  };
  const ofAnybody = (ctx: Context, params: Params, mutates: boolean): Promise<Visit> =>
    visitOf(ctx, params, door.readCredentials(ctx, mutates));

  const ofSignedIn = async (ctx: Context, params: Params, mutates: boolean): Promise<SignedInVisit> => {
    const browser = door.readCredentials(ctx, mutates);
    const caller = await door.authenticate("session", browser);
    return { ...(await visitOf(ctx, params, browser, caller)), caller };
  };

  /** A form that comes without a session is kept while the person signs in, and is then shown again. */
  const answerForm = async (ctx: Context, params: Params, answer: Answer<SignedInVisit>): Promise<Reply> => {
    const page = pageOfForm(ctx);
    const visit = await unlessSignedOut(() => ofSignedIn(ctx, params, true));
    if (!visit) {
      const unsigned = await ofAnybody(ctx, params, true);
      const from = pageOfPending(unsigned.fields) ?? page;
      const action = href + (ctx.req.url ?? "").slice(mountedAt.length);
      return showSignIn(unsigned, { to: from, kept: pendingFormOf(unsigned.fields, action, from) });
    }
    const from = pageOfPending(visit.fields);
    if (from === undefined) return answer(visit);
    const shown = await unlessSignedOut(() => answer({ ...visit, ask: askingOnly(visit.ask) }));
    return shown ?? goTo(returnPath(from, deps.settings.consoleUrl, links.home), "not-done");
  };

  /** Reads a form that failed before it was read, for example because the session could not be looked up. */
  const rememberUnread = async (ctx: Context, params: Params): Promise<void> => {
    if (!ctx.req.readableDidRead) await ofAnybody(ctx, params, true).catch(() => undefined);
  };
  return { ofAnybody, ofSignedIn, answerForm, rememberUnread };
}

async function unlessSignedOut<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.code === "sign_in_required") return undefined;
    throw error;
  }
}

const foreignForm = () =>
  new ApiError("forbidden", {
    message: "This form was not sent from a page of the console. Open the page and send it again.",
  });
