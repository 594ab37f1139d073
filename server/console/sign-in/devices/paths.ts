import { authorizePath, codePath } from "../../../../src/contract/sign-in.ts";
import type { Settings } from "../../../settings/settings.ts";

/** Where requests for the sign-in of devices arrive. */
export const deviceSignInPaths = {
  authorize: authorizePath,
  signIn: "/tavern/sign-in",
  signUp: "/tavern/sign-up",
  switchAccount: "/tavern/switch",
  code: codePath,
} as const;

/** The same as links begin: with what a proxy in front cuts off. */
export function deviceSignInLinks({ baseUrl }: Pick<Settings, "baseUrl">): TavernLinks {
  const at = new URL(baseUrl).pathname.replace(/\/$/, "");
  return {
    authorize: at + deviceSignInPaths.authorize,
    signIn: at + deviceSignInPaths.signIn,
    signUp: at + deviceSignInPaths.signUp,
    switchAccount: at + deviceSignInPaths.switchAccount,
    code: at + deviceSignInPaths.code,
  };
}

export type TavernLinks = { readonly [Name in keyof typeof deviceSignInPaths]: string };

/** A page after which one goes on to `to`. */
export const onTo = (path: string, to: string): string => `${path}?${new URLSearchParams({ to })}`;
