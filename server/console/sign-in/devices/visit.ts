import type { Context } from "koa";
import { ApiError } from "../../../../src/contract/errors.ts";
import type { Contract } from "../../../../src/contract/index.ts";
import type { Deps } from "../../../deps.ts";
import type { Api } from "../../../http/api.ts";
import { isOwnOrigin } from "../../../http/authenticate.ts";
import { senderOf } from "../../../http/bodies/arrivals.ts";
import type { ConsoleCaller } from "../../../http/handler.ts";
import type { Door } from "../../../http/mount.ts";
import { sessionCookie } from "../../../http/session-cookie.ts";
import type { Settings } from "../../../settings/settings.ts";
import { type Ask, createAsks } from "../../ask.ts";
import { consolePathOf } from "../../console-path.ts";
import { type Fields, noFields, readForm } from "../../kit/form/read-form.ts";
import { createLinks, type Links } from "../../links.ts";
import type { Reply } from "../../reply.ts";
import type { PageTraits } from "../../respond.ts";
import { tavern as endpoints } from "./endpoints.ts";
import { deviceSignIn } from "./handlers.ts";
import { deviceSignInLinks, type TavernLinks } from "./paths.ts";

/** One request to a page or a form by which devices sign in. */
export interface TavernVisit {
  readonly settings: Settings;
  /** Of the console, and of these pages. */
  readonly links: Links;
  readonly at: TavernLinks;
  readonly now: Date;
  readonly query: URLSearchParams;
  readonly fields: Fields;
  readonly ask: Ask;
  /** Who is signed in in this browser. */
  caller(): Promise<ConsoleCaller | undefined>;
  /** Calls an endpoint as them. */
  readonly askAs: (caller: ConsoleCaller) => Ask;
}

/** What such a visit ends with, and how its page differs from others. */
export interface TavernReply {
  readonly reply: Reply;
  readonly traits?: PageTraits;
}

export type TavernAnswer = (visit: TavernVisit) => Promise<TavernReply>;

/** Makes visits of requests. Forms of foreign pages are refused before they are read. */
export function createTavernVisits(
  deps: Deps,
  door: Door,
  { contract, handlers }: Api<Contract>,
): (ctx: Context) => Promise<TavernVisit> {
  const { settings, clock } = deps;
  const asks = createAsks(
    {
      contract: { ...contract, tavern: endpoints },
      handlers: { ...handlers, tavern: deviceSignIn(deps) },
    },
    deps,
  );
  const cookie = sessionCookie(settings);
  const links = createLinks(consolePathOf(settings).href);
  const at = deviceSignInLinks(settings);

  return async (ctx) => {
    // Only a session counts here: a bearer token approves nothing.
    const browser = { ...door.readCredentials(ctx, ctx.method === "POST"), authorization: undefined };
    if (browser.mutates && !isOwnOrigin(browser.origin, settings)) throw foreignForm();
    const address = door.addressOf(ctx.req);
    const sending = { arrivals: door.arrivals, sender: senderOf(undefined, address) };
    const askAs = (caller: ConsoleCaller | undefined) =>
      asks({
        caller,
        browser,
        address,
        setSession: (session) => cookie.set(ctx, session),
      });
    return {
      settings,
      links,
      at,
      now: clock.now(),
      query: new URLSearchParams(ctx.querystring),
      fields: browser.mutates ? await readForm(ctx.req, sending) : noFields,
      ask: askAs(undefined),
      askAs,
      caller: () => door.authenticate("session", browser).catch(nobody),
    };
  };
}

function nobody(error: unknown): undefined {
  if (error instanceof ApiError && error.code === "sign_in_required") return undefined;
  throw error;
}

const foreignForm = () =>
  new ApiError("forbidden", {
    message: "This form was not sent from a page of this server. Open the page and send it again.",
  });
