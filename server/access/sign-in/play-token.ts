import { createPublicKey, createSecretKey } from "node:crypto";
import { compactDecrypt, compactVerify } from "jose";
import { limits } from "../../../src/contract/limits.ts";

/** The two keys of the Play Console, base64. */
export interface PlayKeys {
  readonly decryptionKey: string;
  readonly verificationKey: string;
}

/**
 * Decrypts tokens of classic Play Integrity requests: encrypted with A256KW and A256GCM, inside signed with ES256. Other
 * algorithms, and keys named in a token, are refused. Gives the payload as JSON, or undefined for every invalid token.
 */
export function createOpenToken({ decryptionKey, verificationKey }: PlayKeys) {
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
