import type { IntegrityReason } from "../../../src/contract/errors.ts";
import type { AttestationSettings } from "../../settings/settings.ts";
import { bindingCheck } from "./binding.ts";
import { judgeIntegrity } from "./integrity-verdict.ts";
import { createOpenToken } from "./play-token.ts";

export interface Attestation {
  /** The token that the device sent, or undefined. */
  readonly integrityToken: string | undefined;
  /** What the token must be bound to, beside the device: the sign-in code, or the account's e-mail address. */
  readonly subject: string;
  readonly deviceId: string;
  readonly now: Date;
}

/** Gives every reason to refuse a device; an empty list if it may sign in. */
export type Attest = (attestation: Attestation) => Promise<readonly IntegrityReason[]>;

/** Makes the attestation of this deployment. `off` accepts every device and reads no token. */
export function createAttest(settings: AttestationSettings): Attest {
  if (settings.kind === "off") return async () => [];
  const open = createOpenToken(settings);
  return async ({ integrityToken, subject, deviceId, now }) => {
    const payload = integrityToken === undefined ? undefined : await open(integrityToken);
    return judgeIntegrity(payload, settings, { isBound: bindingCheck(subject, deviceId), now });
  };
}
