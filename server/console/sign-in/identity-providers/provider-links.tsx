import type { Settings } from "../../../settings/settings.ts";
import { Line } from "../../kit/display/user-text.tsx";
import { startAddress } from "./addresses.ts";

export interface ProviderLinksProps {
  readonly settings: Settings;
  /** Where to go on to: a path. */
  readonly to: string;
  /** Whether they open in a tab of their own, because this one holds what must not be lost. */
  readonly apart?: boolean;
}

/** The ways in beside a password. */
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
