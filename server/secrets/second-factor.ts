import { createHmac, randomInt, timingSafeEqual } from "node:crypto";
import type { NewPasskey, PasskeyProof } from "../../src/contract/account.ts";
import { hashOf } from "./secrets.ts";

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Characters that people do not confuse with each other when they read them on paper. */
const readable = "abcdefghjkmnpqrstuvwxyz23456789";

const recoveryCodes = 10;

/** Returns a new secret for an authenticator app: 160 bits in base32. */
export const newTotpSecret = (): string =>
  Array.from({ length: 32 }, () => base32[randomInt(base32.length)]).join("");

/** Returns the code of a time step. (RFC 6238 with SHA-1 and six digits, which all authenticator apps support) */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", bytesOf(secret)).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000;
  return String(number).padStart(6, "0");
}

/** Whether a code is correct for the time step. The comparison takes the same time for all wrong codes. */
export const isTotpCode = (secret: string, step: number, code: string): boolean =>
  /^[0-9]{6}$/.test(code) && timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code));

/** Returns the URI with the secret that authenticator apps read from a QR code. */
export function totpUri(secret: string, { account, issuer }: { account: string; issuer: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

/**
 * Returns ten new recovery codes. Each code has 16 random characters, so nobody can guess a code from its hash.
 */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodes }, () => Array.from({ length: 4 }, () => newGroup()).join("-"));

const newGroup = (): string => Array.from({ length: 4 }, () => readable[randomInt(readable.length)]).join("");

/** Returns the hash of a recovery code. The database stores only this hash. Hyphens in the code are ignored. */
export const recoveryHash = (userId: string, code: string): string =>
  hashOf(`recovery code\n${userId}\n${code.replaceAll("-", "")}`);

/** Decodes a base32 text without padding. Returns the bytes. */
function bytesOf(secret: string): Buffer {
  const bits = Array.from(secret, (letter) => base32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

/** What the answer must match. `rpId` is the passkey's host. The pages of `origins` may ask for the passkey. */
interface AskedOfPasskey {
  readonly challenge: string;
  readonly rpId: string;
  readonly origins: readonly string[];
}

interface PasskeyKey {
  readonly credentialId: string;
  /** The public key in base64url. */
  readonly publicKey: string;
  readonly counter: number;
}

/** Returns the public key of a new passkey; undefined if the authenticator's answer does not belong to the request. */
export async function newPasskeyKey(
  made: NewPasskey,
  asked: AskedOfPasskey,
): Promise<PasskeyKey | undefined> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const { id, clientDataJSON, attestationObject } = made;
  const verified = await verifyRegistrationResponse({
    response: { ...commonParts(id), response: { clientDataJSON, attestationObject } },
    ...expectedOf(asked),
  }).catch(() => undefined);
  if (!verified?.verified) return undefined;
  const { credential } = verified.registrationInfo;
  const publicKey = Buffer.from(credential.publicKey).toString("base64url");
  return { credentialId: credential.id, publicKey, counter: credential.counter };
}

/**
 * Returns the new counter of a passkey; undefined if the answer does not prove that the authenticator has the passkey.
 */
export async function passkeyCounter(
  proof: PasskeyProof,
  asked: AskedOfPasskey,
  key: PasskeyKey,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { id, clientDataJSON, authenticatorData, signature } = proof;
  const { credentialId, publicKey, counter } = key;
  const verified = await verifyAuthenticationResponse({
    response: { ...commonParts(id), response: { clientDataJSON, authenticatorData, signature } },
    ...expectedOf(asked),
    credential: { id: credentialId, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")), counter },
  }).catch(() => undefined);
  return verified?.verified ? verified.authenticationInfo.newCounter : undefined;
}

const commonParts = (id: string) => ({
  ...{ id, rawId: id, type: "public-key" as const, clientExtensionResults: {} },
});

/**
 * `requireUserVerification` is false, because the password was the first factor. So a touch of the
 * authenticator is enough.
 */
const expectedOf = ({ challenge, rpId, origins }: AskedOfPasskey) => ({
  expectedChallenge: challenge,
  expectedRPID: rpId,
  expectedOrigin: [...origins],
  requireUserVerification: false,
});
