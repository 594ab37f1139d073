import type { Context } from "koa";
import type { Settings } from "../settings/settings.ts";
import type { Request } from "./handler.ts";

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
