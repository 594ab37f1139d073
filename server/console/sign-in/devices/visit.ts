import type { Context } from "koa";
import { deviceApproval } from "../../../../src/contract/console/device-approval.ts";
import type { Contract } from "../../../../src/contract/index.ts";
import type { Deps } from "../../../deps.ts";
import type { Api } from "../../../http/api.ts";
import { senderOf } from "../../../http/bodies/arrivals.ts";
import type { ConsoleCaller } from "../../../http/handler.ts";
import type { InvokeDeps } from "../../../http/invoke.ts";
import type { Door } from "../../../http/mount.ts";
import { sessionCookie } from "../../../http/session-cookie.ts";
import { deviceApprovalHandlers } from "../../../routes/access/device-approval.ts";
import type { Settings } from "../../../settings/settings.ts";
import { type Ask, createAsks } from "../../ask.ts";
import { refuseForeignForm, unlessSignedOut } from "../../browser-request.ts";
import { consolePathOf } from "../../console-path.ts";
import { type Fields, noFields, readForm } from "../../kit/form/read-form.ts";
import { createLinks, type Links } from "../../links.ts";
import type { Reply } from "../../reply.ts";
import type { PageTraits } from "../../respond.ts";
import { type DeviceSignInLinks, deviceSignInLinks } from "./paths.ts";

/** One request to a page or a form of the device sign-in. */
export interface DeviceSignInVisit {
  readonly settings: Settings;
  /** The addresses of the console. */
  readonly links: Links;
  /** The addresses of these pages. */
  readonly at: DeviceSignInLinks;
  /** The path of the server's base address, without a slash at its end. */
  readonly base: string;
  readonly now: Date;
  readonly query: URLSearchParams;
  readonly fields: Fields;
  readonly ask: Ask;
  /** The person who is signed in in this browser; undefined when nobody is. */
  caller(): Promise<ConsoleCaller | undefined>;
  /** Calls an endpoint as this person. */
  readonly askAs: (caller: ConsoleCaller) => Ask;
}

/** The reply to a visit, and the headers of its page that differ from other pages. */
export interface DeviceSignInReply {
  readonly reply: Reply;
  readonly traits?: PageTraits;
}

export type DeviceSignInHandler = (visit: DeviceSignInVisit) => Promise<DeviceSignInReply>;

export type VisitDeps = InvokeDeps & Pick<Deps, "newId" | "stopping">;

/** Makes visits of requests. A form of another server's page is refused before it is read. */
export function createDeviceSignInVisits(
  deps: VisitDeps,
  door: Door,
  { contract, handlers }: Api<Contract>,
): (ctx: Context) => Promise<DeviceSignInVisit> {
  const { settings, clock } = deps;
  const asks = createAsks(
    {
      contract: { ...contract, deviceApproval },
      handlers: { ...handlers, deviceApproval: deviceApprovalHandlers(deps) },
    },
    deps,
  );
  const cookie = sessionCookie(settings);
  const links = createLinks(consolePathOf(settings).href);
  const at = deviceSignInLinks(settings);
  const base = new URL(settings.baseUrl).pathname.replace(/\/$/, "");

  return async (ctx) => {
    // Only a console session counts here: a bearer token approves nothing.
    const browser = { ...door.readCredentials(ctx, ctx.method === "POST"), authorization: undefined };
    refuseForeignForm(browser, settings);
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
      base,
      now: clock.now(),
      query: new URLSearchParams(ctx.querystring),
      fields: browser.mutates ? await readForm(ctx.req, sending) : noFields,
      ask: askAs(undefined),
      askAs,
      caller: () => unlessSignedOut(() => door.authenticate("session", browser)),
    };
  };
}
