import { Line } from "../../console/text.tsx";
import type { Settings } from "../../settings/settings.ts";
import { startAddress } from "./addresses.ts";

export interface ProviderLinksProps {
  readonly settings: Settings;
  /** The path to open afterwards. */
  readonly to: string;
  /** Whether the links open in a new tab, because this page holds unsaved text. */
  readonly apart?: boolean;
}

/** Links to sign in with a provider instead of a password. */
export const ProviderLinks = ({ settings, to, apart = false }: ProviderLinksProps) =>
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
