import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { openAddress, sealAddress } from "../../secrets/addresses.ts";
import type { Sealer } from "../../secrets/secrets.ts";

const algorithm = "aes-256-gcm";
const [nonceBytes, tagBytes] = [12, 16];
/** So that the bytes are those of no other kind of file. */
const mark = Buffer.from("innkeep sealed mail\n");

/** A mail as it came, sealed: links in it may let people in. */
export interface SealedOriginal {
  readonly bytes: Buffer;
  /** The key of the bytes, sealed with the secret of the deployment: a new secret seals the key again, not the bytes. */
  readonly keySealed: string;
}

export function sealOriginal(sealer: Pick<Sealer, "seal">, source: Uint8Array): SealedOriginal {
  const [key, nonce] = [randomBytes(32), randomBytes(nonceBytes)];
  const cipher = createCipheriv(algorithm, key, nonce);
  const body = cipher.update(source);
  const end = cipher.final();
  return {
    bytes: Buffer.concat([mark, nonce, cipher.getAuthTag(), body, end]),
    keySealed: sealAddress(sealer, key.toString("base64")),
  };
}

/** Throws if the bytes were changed, or the key was sealed with another secret. */
export function openOriginal(
  sealer: Pick<Sealer, "open">,
  { bytes, keySealed }: { readonly bytes: Uint8Array; readonly keySealed: string },
): Buffer {
  const key = Buffer.from(openAddress(sealer, keySealed), "base64");
  const sealed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(mark.length);
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
