import type { Settings } from "../../../settings/settings.ts";

type Addresses = Pick<Settings, "baseUrl" | "consoleUrl">;

/** Paths at which requests arrive. */
export const startPath = "/tavern/with/:provider";
export const callbackPath = "/tavern/with/:provider/callback";
export const connectPath = "/tavern/with/:provider/connect";

/** Where people set out to sign in with a provider, to go on to `to`: a path of the console's origin. */
export const startAddress = (settings: Addresses, providerId: string, to: string): string =>
  `${originOf(settings)}/tavern/with/${providerId}${to && `?${new URLSearchParams({ to })}`}`;

/** Where a provider sends them back to: what is registered with it. */
export const callbackAddress = (settings: Addresses, providerId: string): string =>
  `${originOf(settings)}/tavern/with/${providerId}/callback`;

/** Where the form that connects an identity is sent. */
export const connectAddress = (settings: Addresses, providerId: string): string =>
  new URL(`${originOf(settings)}/tavern/with/${providerId}/connect`).pathname;

/** Cookies belong to one host: a console with a host of its own is signed in to there. */
function originOf({ baseUrl, consoleUrl }: Addresses): string {
  const console = new URL(consoleUrl).origin;
  return new URL(baseUrl).origin === console ? baseUrl : console;
}
