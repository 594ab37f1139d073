import type { Context } from "koa";
import type { Settings } from "../settings/settings.ts";
import { sessionCookie } from "./session-cookie.ts";

/** What a request says about its sender. Nothing of it has been checked. */
export interface PresentedCredentials {
  readonly apiKey: string | undefined;
  readonly authorization: string | undefined;
  readonly sessionId: string | undefined;
  /** The cookie that names the accounts to which the browser has signed in. */
  readonly known: string | undefined;
  /** Whether the request changes something. */
  readonly mutates: boolean;
  /** What the client says that it is. */
  readonly userAgent: string | undefined;
  /** The origin of the page from which a browser says that the request comes. */
  readonly origin: string | undefined;
}

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
    // Most API requests have no cookies: Koa's parser is then not needed.
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
