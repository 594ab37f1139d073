import { createPublicKey, createSecretKey, hash, timingSafeEqual } from "node:crypto";
import { compactDecrypt, compactVerify } from "jose";
import type { IntegrityReason } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { AttestationSettings } from "../../settings/settings.ts";
import { judgeIntegrity } from "./rules.ts";

/** Returns all reasons to refuse a device; an empty list if it may sign in. */
export type Attest = (attestation: {
  /** The integrity token that the device sent; undefined if it sent none. */
  readonly integrityToken: string | undefined;
  /** The sign-in code, or the e-mail address of the account. The token must be bound to `subject`. */
  readonly subject: string;
  readonly deviceId: string;
  readonly now: Date;
}) => Promise<readonly IntegrityReason[]>;

/**
 * Creates the function that checks devices. With `off`, the function accepts every device and reads no token.
 */
export function createAttest(settings: AttestationSettings): Attest {
  if (settings.kind === "off") return async () => [];
  const open = createOpenToken(settings);
  return async ({ integrityToken, subject, deviceId, now }) => {
    const payload = integrityToken === undefined ? undefined : await open(integrityToken);
    return judgeIntegrity(payload, settings, { isBound: bindingCheck(subject, deviceId), now });
  };
}

/**
 * Returns what binds an integrity token to one sign-in. The device sends it to Google as nonce or request hash.
 */
export const bindingOf = (subject: string, deviceId: string): string =>
  hash("sha256", `${subject}\n${deviceId}`, "base64url");

/** Creates a function that compares a value with the binding of one sign-in, in constant time. */
function bindingCheck(subject: string, deviceId: string): (given: string) => boolean {
  const expected = Buffer.from(bindingOf(subject, deviceId));
  return (given) => {
    const bytes = Buffer.from(given);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  };
}

/**
 * Creates a function that decrypts and verifies classic Play Integrity tokens. The function returns undefined
 * for an invalid token.
 */
function createOpenToken({
  decryptionKey,
  verificationKey,
}: {
  readonly decryptionKey: string;
  readonly verificationKey: string;
}) {
  const decryption = createSecretKey(Buffer.from(decryptionKey, "base64"));
  const verification = createPublicKey({
    key: Buffer.from(verificationKey, "base64"),
    format: "der",
    type: "spki",
  });
  return async (token: string): Promise<unknown> => {
    if (token.length > limits.integrityToken) return undefined;
    try {
      const { plaintext } = await compactDecrypt(token, decryption, {
        keyManagementAlgorithms: ["A256KW"],
        contentEncryptionAlgorithms: ["A256GCM"],
      });
      const { payload } = await compactVerify(plaintext, verification, { algorithms: ["ES256"] });
      return JSON.parse(Buffer.from(payload).toString("utf8"));
    } catch {
      return undefined;
    }
  };
}
