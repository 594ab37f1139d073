import type { Context } from "koa";
import type { ApiError } from "../../../src/contract/errors.ts";
import type { Contract } from "../../../src/contract/index.ts";
import { authorizePath, codePath, signUpPath } from "../../../src/contract/sign-in.ts";
import { type Fields, IdempotencyField, noFields, readForm } from "../../console/forms.tsx";
import { BarePage, showErrorPage } from "../../console/layout.tsx";
import { consolePathOf, createLinks, type Links } from "../../console/links.ts";
import { type Ask, createAsks, createInvitedRead, type InvitedRead } from "../../console/page-reads.ts";
import { type PageTraits, type Reply, refuseForeignForm, unlessSignedOut } from "../../console/respond.tsx";
import type { Deps } from "../../deps.ts";
import { sessionCookie } from "../../http/authenticate.ts";
import type { InvokeDeps } from "../../http/call-steps.ts";
import type { Api, ConsoleCaller } from "../../http/handler.ts";
import type { SharedSteps } from "../../http/pipeline.ts";
import { senderOf } from "../../http/rate-limits/rate-limits.ts";
import type { Settings } from "../../settings/settings.ts";

/** A request to a page or a form of the device sign-in. */
export interface DeviceSignInVisit {
  readonly settings: Settings;
  /** The addresses of the console. */
  readonly links: Links;
  /** The addresses of the pages for device sign-in. */
  readonly at: DeviceSignInLinks;
  /** The path of the base address, without a slash at the end. */
  readonly base: string;
  readonly now: Date;
  readonly query: URLSearchParams;
  readonly fields: Fields;
  readonly ask: Ask;
  /** Returns the invitation whose link contains the given secret; undefined if the link cannot be used. */
  readonly invited: InvitedRead;
  /** Returns the person who is signed in with this browser; undefined if nobody is. */
  caller(): Promise<ConsoleCaller | undefined>;
  /** Returns a function that calls API endpoints for this person. */
  readonly askAs: (caller: ConsoleCaller) => Ask;
}

/** The reply to a request, and the headers that differ from those of other pages. */
export interface DeviceSignInReply {
  readonly reply: Reply;
  readonly traits?: PageTraits;
}

export type DeviceSignInHandler = (visit: DeviceSignInVisit) => Promise<DeviceSignInReply>;

export type VisitDeps = InvokeDeps & Pick<Deps, "log" | "newId" | "stopping">;

/** Creates the function that reads a request. A form of another site is refused before its body is read. */
export function createDeviceSignInVisits(
  deps: VisitDeps,
  steps: SharedSteps,
  api: Api<Contract>,
): (ctx: Context) => Promise<DeviceSignInVisit> {
  const { settings, clock } = deps;
  const asks = createAsks(api, deps);
  const cookie = sessionCookie(settings);
  const invited = createInvitedRead(deps);
  const links = createLinks(consolePathOf(settings).href);
  const at = deviceSignInLinks(settings);
  const base = new URL(settings.baseUrl).pathname.replace(/\/$/, "");

  return async (ctx) => {
    // A bearer token is ignored, because only a person with a console session may approve a device.
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
      invited,
      askAs,
      caller: () => unlessSignedOut(() => steps.authenticate("session", browser)),
    };
  };
}

/** The paths as this server receives them. A reverse proxy removes the path of `baseUrl`. */
export const deviceSignInPaths = {
  authorize: authorizePath,
  signIn: "/tavern/sign-in",
  signUp: signUpPath,
  switchAccount: "/tavern/switch",
  code: codePath,
} as const;

/** Returns the paths for links. They begin with the path of `baseUrl`, which a reverse proxy may remove. */
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

/** Returns the address of a page. Its query contains `to`, the address that the browser opens afterwards. */
export const onTo = (path: string, to: string): string => `${path}?${new URLSearchParams({ to })}`;

/** The words of an error page: a title for each of the two error codes, and one text for both. */
export interface ErrorWords {
  readonly bad_redirect: string;
  readonly bad_request: string;
  readonly text: string;
}

/** Shows a person why the server refused the request of the program that opened this page. */
export function showRequestError(
  links: Links,
  { error, requestId }: { readonly error: ApiError; readonly requestId: string },
  words: ErrorWords,
): Reply {
  const { code } = error;
  const title = code === "bad_redirect" || code === "bad_request" ? words[code] : undefined;
  if (title === undefined) return showErrorPage(links, error, { requestId, typed: [] });
  const { issues = [] } = error.details;
  return {
    status: error.status,
    document: (
      <BarePage links={links} title={title}>
        <div class="card stack">
          <h1>{title}</h1>
          <p>{words.text}</p>
          {issues.length === 0 ? (
            <p class="muted">{error.message}</p>
          ) : (
            <ul class="stack tight muted">
              {issues.map(({ path, message }) => (
                <li key={path}>
                  <code>{path}</code> {message}
                </li>
              ))}
            </ul>
          )}
        </div>
      </BarePage>
    ),
  };
}

/** A button that signs the browser out. After the next sign-in, the browser opens `to`. */
export const SwitchAccount = ({
  action,
  to,
  label = "Use another",
}: {
  readonly action: string;
  readonly to: string;
  readonly label?: string;
}) => (
  <form method="post" action={action}>
    <IdempotencyField />
    <input type="hidden" name="to" value={to} />
    <button class="quiet small" type="submit">
      {label}
    </button>
  </form>
);
