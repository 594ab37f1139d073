import type { Settings } from "../../settings.ts";
import { startAddress } from "../identity/addresses.ts";
import { Line } from "./written.tsx";

export interface ProvidersProps {
  readonly settings: Settings;
  /** Where to go on to: a path. */
  readonly to: string;
}

/** The ways in beside a password. */
export const Providers = ({ settings, to }: ProvidersProps) =>
  settings.identityProviders.length === 0 ? null : (
    <nav class="stack" aria-label="Other ways to sign in">
      {settings.identityProviders.map(({ id, name }) => (
        <a key={id} class="button" href={startAddress(settings, id, to)}>
          Sign in with <Line text={name} />
        </a>
      ))}
    </nav>
  );
