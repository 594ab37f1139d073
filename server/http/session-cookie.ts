import type { Context } from "koa";
import type { Settings } from "../settings.ts";
import type { Request } from "./handler.ts";

/** The cookie of a console session: out of reach for scripts, sent to this host only, over https only where there is https. */
export function sessionCookie({ consoleUrl }: Pick<Settings, "consoleUrl">) {
  const secure = consoleUrl.startsWith("https:");
  const name = secure ? "__Host-innkeep" : "innkeep";
  const traits = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  return {
    name,
    set(ctx: Context, session: Parameters<Request["setSession"]>[0]): void {
      const value = session ? `${session.id}; Expires=${session.expiresAt.toUTCString()}` : "; Max-Age=0";
      ctx.set("Set-Cookie", `${name}=${value}; ${traits}`);
    },
  };
}
