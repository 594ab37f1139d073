import { Line } from "../../console/text.tsx";
import type { Settings } from "../../settings/settings.ts";

/** Links to sign in with a provider instead of a password. */
export const ProviderLinks = ({
  settings,
  to,
  apart = false,
}: {
  readonly settings: Settings;
  /** The path to open afterwards. */
  readonly to: string;
  /** Whether the links open in a new tab, because this page holds unsaved text. */
  readonly apart?: boolean;
}) =>
  settings.identityProviders.length === 0 ? null : (
    <nav class="stack" aria-label="Other ways to sign in">
      {settings.identityProviders.map(({ id, name }) => (
        <a
          key={id}
          class="button"
          href={startAddress(settings, id, to)}
          target={apart ? "_blank" : undefined}
        >
          Sign in with <Line text={name} />
        </a>
      ))}
    </nav>
  );

type Addresses = Pick<Settings, "baseUrl" | "consoleUrl">;

/** The paths of incoming requests. */
export const startPath = "/tavern/with/:provider";

export const callbackPath = "/tavern/with/:provider/callback";

export const connectPath = "/tavern/with/:provider/connect";

/** The address that starts a sign-in with a provider. `to` is a path of the console's origin to open afterwards. */
export const startAddress = (settings: Addresses, providerId: string, to: string): string =>
  `${originOf(settings)}/tavern/with/${providerId}${to && `?${new URLSearchParams({ to })}`}`;

/** The redirect address, as it is registered with the provider. */
export const callbackAddress = (settings: Addresses, providerId: string): string =>
  `${originOf(settings)}/tavern/with/${providerId}/callback`;

/** The address of the form that connects an identity. */
export const connectAddress = (settings: Addresses, providerId: string): string =>
  new URL(`${originOf(settings)}/tavern/with/${providerId}/connect`).pathname;

/** The sign-in must happen on the console's host, because cookies belong to one host. */
function originOf({ baseUrl, consoleUrl }: Addresses): string {
  const console = new URL(consoleUrl).origin;
  return new URL(baseUrl).origin === console ? baseUrl : console;
}
