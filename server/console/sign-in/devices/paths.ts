import { authorizePath, codePath } from "../../../../src/contract/sign-in.ts";
import type { Settings } from "../../../settings/settings.ts";

/** Where requests for the sign-in of devices arrive. */
export const tavernPaths = {
  authorize: authorizePath,
  signIn: "/tavern/sign-in",
  signUp: "/tavern/sign-up",
  switchAccount: "/tavern/switch",
  code: codePath,
} as const;

/** The same as links begin: with what a proxy in front cuts off. */
export function tavernLinks({ baseUrl }: Pick<Settings, "baseUrl">): TavernLinks {
  const at = new URL(baseUrl).pathname.replace(/\/$/, "");
  return {
    authorize: at + tavernPaths.authorize,
    signIn: at + tavernPaths.signIn,
    signUp: at + tavernPaths.signUp,
    switchAccount: at + tavernPaths.switchAccount,
    code: at + tavernPaths.code,
  };
}

export type TavernLinks = { readonly [Name in keyof typeof tavernPaths]: string };

/** A page after which one goes on to `to`. */
export const onTo = (path: string, to: string): string => `${path}?${new URLSearchParams({ to })}`;
