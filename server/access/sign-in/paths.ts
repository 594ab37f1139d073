import { signUpPath } from "../../../src/contract/device-approval.ts";
import { authorizePath, codePath } from "../../../src/contract/sign-in.ts";
import type { Settings } from "../../settings/settings.ts";

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

export type DeviceSignInLinks = { readonly [Name in keyof typeof deviceSignInPaths]: string };

/** The address of a page that leads on to `to`. */
export const onTo = (path: string, to: string): string => `${path}?${new URLSearchParams({ to })}`;
