import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import type { Sealer } from "../secrets/secrets.ts";
import type { Settings } from "../settings/settings.ts";
import type { Request } from "./handler.ts";

/** The credentials of a request, before they are checked. */
export interface PresentedCredentials {
  readonly apiKey: string | undefined;
  readonly authorization: string | undefined;
  readonly sessionId: string | undefined;
  /** The cookie with the accounts to which the browser has signed in. */
  readonly known: string | undefined;
  /** Whether the request changes something. */
  readonly mutates: boolean;
  /** The header `User-Agent`. */
  readonly userAgent: string | undefined;
  /** The header `Origin`: the page that sent the request. */
  readonly origin: string | undefined;
}

export const nothingPresented: PresentedCredentials = {
  apiKey: undefined,
  authorization: undefined,
  sessionId: undefined,
  known: undefined,
  mutates: false,
  userAgent: undefined,
  origin: undefined,
};

export type ReadCredentials = (ctx: Context, mutates: boolean) => PresentedCredentials;

/** Reads the credentials of requests from their headers and cookies. */
export function createReadCredentials(settings: Pick<Settings, "consoleUrl">): ReadCredentials {
  const cookie = sessionCookie(settings);
  return (ctx, mutates) => {
    const {
      "x-api-key": apiKey,
      authorization,
      cookie: cookies,
      origin,
      "user-agent": userAgent,
    } = ctx.req.headers;
    // Most requests of the API have no cookies, so Koa's parser is not needed.
    const { sessionId, known } = cookies === undefined ? noCookies : cookie.shown(ctx);
    return {
      apiKey: typeof apiKey === "string" ? apiKey : undefined,
      authorization,
      sessionId,
      known,
      userAgent,
      mutates,
      origin,
    };
  };
}

const noCookies = { sessionId: undefined, known: undefined };

const knownSeconds = 400 * 86_400;

/**
 * The cookies of a console session and of the accounts that a browser knows. Scripts cannot read them. They are sent to
 * this host only, and over https only if the console has https.
 */
export function sessionCookie({ consoleUrl }: Pick<Settings, "consoleUrl">) {
  const secure = consoleUrl.startsWith("https:");
  const name = secure ? "__Host-innkeep" : "innkeep";
  const knownName = `${name}-known`;
  const traits = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  return {
    name,
    /** The values that the browser sent. */
    shown: ({ cookies }: Context) => ({ sessionId: cookies.get(name), known: cookies.get(knownName) }),
    set(ctx: Context, session: Parameters<Request["setSession"]>[0]): void {
      const value = session ? `${session.id}; Expires=${session.expiresAt.toUTCString()}` : "; Max-Age=0";
      const cookies = [`${name}=${value}; ${traits}`];
      // This cookie outlives the console session, because it is used when the person signs in again.
      if (session?.known) cookies.push(`${knownName}=${session.known}; Max-Age=${knownSeconds}; ${traits}`);
      ctx.set("Set-Cookie", cookies);
    },
  };
}

type Marking = Pick<Sealer, "mark">;

const mostAccounts = 5;

/**
 * A cookie with a random id of the browser, and a keyed hash for each account to which the browser has signed in. It grants no
 * access. Its browser has a limit of its own for sign-ins, so that failed sign-ins of others do not lock it out.
 */
export const knownBrowser = {
  /** The id of the browser; undefined if it has never signed in to this account. */
  idFor(sealer: Marking, kept: string | undefined, email: string): string | undefined {
    const [id = "", ...marks] = (kept ?? "").split(".");
    return marks.includes(markOf(sealer, id, email)) ? id : undefined;
  },

  /** The new value of the cookie: this account first, then the latest others. */
  withAccount(sealer: Marking, kept: string | undefined, email: string): string {
    const [found = "", ...marks] = (kept ?? "").split(".");
    const id = /^[\w-]{22}$/.test(found) ? found : randomBytes(16).toString("base64url");
    const own = markOf(sealer, id, email);
    const others = id === found ? marks.filter((mark) => mark !== own && /^[0-9a-f]{32}$/.test(mark)) : [];
    return [id, own, ...others.slice(0, mostAccounts - 1)].join(".");
  },
};

const markOf = ({ mark }: Marking, id: string, email: string): string =>
  mark(`known browser\n${id}\n${email}`).slice(0, 32);
