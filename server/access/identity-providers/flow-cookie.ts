import type { Context } from "koa";
import type { Settings } from "../../settings/settings.ts";
import { lifetimeSeconds } from "./sealed-flow.ts";

/** The cookie that keeps the state of a sign-in while the person is at the provider. */
export function flowCookie({ consoleUrl }: Pick<Settings, "consoleUrl">) {
  const secure = consoleUrl.startsWith("https:");
  const name = secure ? "__Host-innkeep-with" : "innkeep-with";
  const traits = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  return {
    read: (ctx: Context): string => ctx.cookies.get(name) ?? "",
    set: (ctx: Context, sealed: string): void =>
      ctx.append("Set-Cookie", `${name}=${sealed}; Max-Age=${lifetimeSeconds}; ${traits}`),
    clear: (ctx: Context): void => ctx.append("Set-Cookie", `${name}=; Max-Age=0; ${traits}`),
  };
}
