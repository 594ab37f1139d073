import type { Context } from "koa";
import { deviceApproval, signUpPath } from "../../../src/contract/devices.ts";
import type { Contract } from "../../../src/contract/index.ts";
import { authorizePath, codePath } from "../../../src/contract/sign-in.ts";
import { type Ask, createAsks } from "../../console/ask.ts";
import { refuseForeignForm, unlessSignedOut } from "../../console/browser-request.ts";
import { type Fields, noFields, readForm } from "../../console/form-values.tsx";
import { consolePathOf, createLinks, type Links } from "../../console/links.ts";
import type { Reply } from "../../console/reply.ts";
import type { PageTraits } from "../../console/respond.ts";
import type { Deps } from "../../deps.ts";
import { senderOf } from "../../http/body/incoming-body.ts";
import type { InvokeDeps } from "../../http/call-steps.ts";
import { sessionCookie } from "../../http/credentials.ts";
import type { Api, ConsoleCaller } from "../../http/handler.ts";
import type { RequestSteps } from "../../http/request-steps.ts";
import type { Settings } from "../../settings/settings.ts";
import { deviceApprovalHandlers } from "./api/device.ts";

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
  steps: RequestSteps,
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
    const browser = { ...steps.readCredentials(ctx, ctx.method === "POST"), authorization: undefined };
    refuseForeignForm(browser, settings);
    const address = steps.addressOf(ctx.req);
    const sending = { arrivals: steps.arrivals, sender: senderOf(undefined, address) };
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
      caller: () => unlessSignedOut(() => steps.authenticate("session", browser)),
    };
  };
}

/** The paths of the device sign-in pages, as requests arrive. */
export const deviceSignInPaths = {
  authorize: authorizePath,
  signIn: "/tavern/sign-in",
  signUp: signUpPath,
  switchAccount: "/tavern/switch",
  code: codePath,
} as const;

/** The same paths for links: with the path of `baseUrl`, which a proxy in front may cut off. */
export function deviceSignInLinks({ baseUrl }: Pick<Settings, "baseUrl">): DeviceSignInLinks {
  const at = new URL(baseUrl).pathname.replace(/\/$/, "");
  return {
    authorize: at + deviceSignInPaths.authorize,
    signIn: at + deviceSignInPaths.signIn,
    signUp: at + deviceSignInPaths.signUp,
    switchAccount: at + deviceSignInPaths.switchAccount,
    code: at + deviceSignInPaths.code,
  };
}

type DeviceSignInLinks = { readonly [Name in keyof typeof deviceSignInPaths]: string };

/** The address of a page that leads on to `to`. */
export const onTo = (path: string, to: string): string => `${path}?${new URLSearchParams({ to })}`;
