import type { NewPasskey, PasskeyProof } from "../../src/contract/passkeys.ts";

/** What an authenticator was asked, and by which pages. */
export interface AskedOfPasskey {
  readonly challenge: string;
  readonly rpId: string;
  readonly origins: readonly string[];
}

export interface PasskeyKey {
  readonly credentialId: string;
  /** In base64url. */
  readonly publicKey: string;
  readonly counter: number;
}

/** The key of a new passkey; undefined if the answer is not one to what was asked. */
export async function newPasskeyKey(
  made: NewPasskey,
  asked: AskedOfPasskey,
): Promise<PasskeyKey | undefined> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const { id, clientDataJSON, attestationObject } = made;
  const verified = await verifyRegistrationResponse({
    response: { ...common(id), response: { clientDataJSON, attestationObject } },
    ...expected(asked),
  }).catch(() => undefined);
  if (!verified?.verified) return undefined;
  const { credential } = verified.registrationInfo;
  const publicKey = Buffer.from(credential.publicKey).toString("base64url");
  return { credentialId: credential.id, publicKey, counter: credential.counter };
}

/** The new counter of a passkey; undefined if the answer does not prove that the authenticator has it. */
export async function passkeyCounter(
  proof: PasskeyProof,
  asked: AskedOfPasskey,
  key: PasskeyKey,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { id, clientDataJSON, authenticatorData, signature } = proof;
  const { credentialId, publicKey, counter } = key;
  const verified = await verifyAuthenticationResponse({
    response: { ...common(id), response: { clientDataJSON, authenticatorData, signature } },
    ...expected(asked),
    credential: { id: credentialId, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")), counter },
  }).catch(() => undefined);
  return verified?.verified ? verified.authenticationInfo.newCounter : undefined;
}

const common = (id: string) => ({
  ...{ id, rawId: id, type: "public-key" as const, clientExtensionResults: {} },
});

/** A touch is enough: the password was the other factor. */
const expected = ({ challenge, rpId, origins }: AskedOfPasskey) => ({
  expectedChallenge: challenge,
  expectedRPID: rpId,
  expectedOrigin: [...origins],
  requireUserVerification: false,
});
