import { createPrivateKey, createPublicKey, diffieHellman } from "node:crypto";

/** The beginnings of the forms in which OpenSSL reads bare keys (RFC 8410). */
const privateForm = Buffer.from("302e020100300506032b656e04220420", "hex");
const publicForm = Buffer.from("302a300506032b656e032100", "hex");

export const keyLength = 32;

/** The public key of a private key. */
export const publicKeyOf = (privateKey: Buffer): Buffer =>
  createPublicKey(privateKeyOf(privateKey)).export({ format: "der", type: "spki" }).subarray(-keyLength);

/** The secret that both sides share. Throws for a public key of low order, which would share a known secret. */
export const sharedSecret = (privateKey: Buffer, publicKey: Buffer): Buffer =>
  diffieHellman({
    privateKey: privateKeyOf(privateKey),
    publicKey: createPublicKey({
      key: Buffer.concat([publicForm, publicKey]),
      format: "der",
      type: "spki",
    }),
  });

const privateKeyOf = (bytes: Buffer) =>
  createPrivateKey({ key: Buffer.concat([privateForm, bytes]), format: "der", type: "pkcs8" });
