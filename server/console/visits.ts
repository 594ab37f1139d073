import type { Context } from "koa";
import type { Contract } from "../../src/contract/index.ts";
import type { Deps } from "../deps.ts";
import type { Api } from "../http/api.ts";
import { senderOf } from "../http/bodies/arrivals.ts";
import type { ConsoleCaller } from "../http/handler.ts";
import type { InvokeDeps } from "../http/invoke.ts";
import type { Door } from "../http/mount.ts";
import { sessionCookie } from "../http/session-cookie.ts";
import { createPageReads } from "../routes/page-reads.ts";
import { createAsks } from "./ask.ts";
import { refuseForeignForm, unlessSignedOut } from "./browser-request.ts";
import { type ConsolePath, pageOfForm, returnPath } from "./console-path.ts";
import { noFields, readForm } from "./kit/form/read-form.ts";
import { createLinks } from "./links.ts";
import { rememberForm } from "./pages/error/unsaved-text.ts";
import { goTo, type Reply } from "./reply.ts";
import { showSignIn } from "./sign-in/page.tsx";
import { pageOfPending, pendingFormOf, readOnlyAsk } from "./sign-in/pending-form.ts";
import type { PageHandler, SignedInVisit, Visit } from "./visit.ts";

type Params = Readonly<Record<string, string>>;

export type ConsoleDeps = InvokeDeps & Pick<Deps, "stopping">;

interface ConsoleServer {
  readonly deps: ConsoleDeps;
  readonly door: Door;
  readonly api: Api<Contract>;
}

/** Makes visits of requests: finds the caller, refuses forms of other servers' pages, reads what a form sent. */
export function createVisits({ deps, door, api }: ConsoleServer, { href, mountedAt }: ConsolePath) {
  const asks = createAsks(api, deps);
  const readsOf = createPageReads(deps);
  const cookie = sessionCookie(deps.settings);
  const links = createLinks(href);

  const visitOf = async (ctx: Context, params: Params, caller?: ConsoleCaller): Promise<Visit> => {
    const browser = door.readCredentials(ctx, ctx.method === "POST");
    refuseForeignForm(browser, deps.settings);
    const query = new URLSearchParams(ctx.querystring);
    const address = door.addressOf(ctx.req);
    const sending = { arrivals: door.arrivals, sender: senderOf(caller, address) };
    const fields = browser.mutates ? await readForm(ctx.req, sending) : noFields;
    rememberForm(ctx.req, fields);
    return {
      settings: deps.settings,
      links,
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

  const ofAnybody = (ctx: Context, params: Params): Promise<Visit> => visitOf(ctx, params);

  /** Throws `sign_in_required` for a request without a valid console session. */
  const ofSignedIn = async (ctx: Context, params: Params): Promise<SignedInVisit> => {
    const caller = await door.authenticate("session", door.readCredentials(ctx, ctx.method === "POST"));
    const visit = await visitOf(ctx, params, caller);
    return { ...visit, caller, reads: readsOf(caller, visit.now) };
  };

  /** A form that was sent without a console session is kept while the person signs in. Then its page shows it again. */
  const answerForm = async (
    ctx: Context,
    params: Params,
    answer: PageHandler<SignedInVisit>,
  ): Promise<Reply> => {
    const page = pageOfForm(ctx);
    const visit = await unlessSignedOut(() => ofSignedIn(ctx, params));
    if (!visit) {
      const unsigned = await ofAnybody(ctx, params);
      const from = pageOfPending(unsigned.fields) ?? page;
      const action = href + (ctx.req.url ?? "").slice(mountedAt.length);
      return showSignIn(unsigned, { to: from, kept: pendingFormOf(unsigned.fields, action, from) });
    }
    const from = pageOfPending(visit.fields);
    if (from === undefined) return answer(visit);
    const shown = await unlessSignedOut(() => answer({ ...visit, ask: readOnlyAsk(visit.ask) }));
    return shown ?? goTo(returnPath(from, deps.settings.consoleUrl, links.home), "not-done");
  };

  /** Reads a form after an error came before its fields were read, such as a failed lookup of the console session. */
  const rememberUnread = async (ctx: Context, params: Params): Promise<void> => {
    if (!ctx.req.readableDidRead) await ofAnybody(ctx, params).catch(() => undefined);
  };
  return { ofAnybody, ofSignedIn, answerForm, rememberUnread };
}
