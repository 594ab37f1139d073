import type { IntegrityReason } from "../../src/contract/errors.ts";
import { judgeIntegrity } from "../domain/access/integrity-verdict.ts";
import type { AttestationSettings } from "../settings/settings.ts";
import { bindingCheck } from "./binding.ts";
import { createOpenToken } from "./play-token.ts";

export interface Attestation {
  /** What the device sent; undefined where it sent nothing. */
  readonly integrityToken: string | undefined;
  /** What the token must have been made for, beside the device: the sign-in code, or the account's e-mail address. */
  readonly subject: string;
  readonly deviceId: string;
  readonly now: Date;
}

/** Gives every reason for which a device may not sign in; none where it may. */
export type Attest = (attestation: Attestation) => Promise<readonly IntegrityReason[]>;

/** How this deployment attests devices. `off` lets every device pass and looks at no token. */
export function createAttest(settings: AttestationSettings): Attest {
  if (settings.kind === "off") return async () => [];
  const open = createOpenToken(settings);
  return async ({ integrityToken, subject, deviceId, now }) => {
    const payload = integrityToken === undefined ? undefined : await open(integrityToken);
    return judgeIntegrity(payload, settings, { isBound: bindingCheck(subject, deviceId), now });
  };
}
