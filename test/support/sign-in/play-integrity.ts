import { generateKeyPairSync, randomBytes } from "node:crypto";
import { CompactEncrypt, type CompactJWEHeaderParameters, CompactSign } from "jose";
import { bindingOf } from "../../../server/access/sign-in/attestation.ts";

/** Keys in the form of the Play Console, created for one test run. */
export type PlayKeys = ReturnType<typeof makePlayKeys>;

export function makePlayKeys() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const decryption = randomBytes(32);
  return {
    privateKey,
    decryption,
    decryptionKey: decryption.toString("base64"),
    verificationKey: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
  };
}

const packageName = "com.example.lantern";
export const certificate = Buffer.alloc(32, 7).toString("base64url");

export const playEnvironment = ({ decryptionKey, verificationKey }: PlayKeys) => ({
  INNKEEP_ATTESTATION: "play-integrity",
  INNKEEP_PLAY_PACKAGES: packageName,
  INNKEEP_PLAY_CERTIFICATES: certificate,
  INNKEEP_PLAY_DECRYPTION_KEY: decryptionKey,
  INNKEEP_PLAY_VERIFICATION_KEY: verificationKey,
});

export interface Bound {
  readonly code: string;
  readonly deviceId: string;
  readonly now: Date;
}

/** The payload of a valid token. */
export const goodVerdict = ({ code, deviceId, now }: Bound) => ({
  requestDetails: {
    requestPackageName: packageName,
    nonce: bindingOf(code, deviceId),
    timestampMillis: String(now.getTime()),
  },
  appIntegrity: {
    appRecognitionVerdict: "PLAY_RECOGNIZED",
    packageName,
    certificateSha256Digest: [certificate],
    versionCode: "42",
  },
  deviceIntegrity: { deviceRecognitionVerdict: ["MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY"] },
  accountDetails: { appLicensingVerdict: "LICENSED" },
});

/** Signs and encrypts a payload as Google does. */
export async function makePlayToken(payload: unknown, keys: PlayKeys): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(payload));
  const signed = await new CompactSign(bytes).setProtectedHeader({ alg: "ES256" }).sign(keys.privateKey);
  return encrypt(signed, keys.decryption);
}

export const encrypt = (
  text: string,
  key: Uint8Array,
  header: CompactJWEHeaderParameters = { alg: "A256KW", enc: "A256GCM" },
): Promise<string> =>
  new CompactEncrypt(new TextEncoder().encode(text)).setProtectedHeader(header).encrypt(key);
