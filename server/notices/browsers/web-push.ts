import { createCipheriv, createECDH, ECDH, type ECDH as Ecdh, hkdfSync, randomBytes } from "node:crypto";

const curve = "prime256v1";

/**
 * The maximum number of bytes of an encrypted notice in one record. Push services accept at least this size. (RFC 8030,
 * 7.2)
 */
const recordBytes = 4_096;

/** The keys of a browser's subscription, in base64url. */
export interface SubscriptionKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** The random parts of an encryption. A test passes the values of the example in RFC 8291. */
export interface Randomness {
  readonly salt: Buffer;
  readonly own: Ecdh;
}

/** Whether a text is the public key of a browser: a point of the curve P-256, in base64url. */
export function isPublicKey(p256dh: string): boolean {
  try {
    return ECDH.convertKey(p256dh, curve, "base64url").length === 65;
  } catch {
    return false;
  }
}

/** Encrypts a text for one browser, so that its push service cannot read it (RFC 8291, aes128gcm). */
export function encryptedFor(
  { p256dh, auth }: SubscriptionKeys,
  text: string,
  { salt, own }: Randomness = freshRandomness(),
): Buffer {
  const theirs = Buffer.from(p256dh, "base64url");
  const ours = own.getPublicKey();
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), theirs, ours]);
  const shared = hkdfSync("sha256", own.computeSecret(theirs), Buffer.from(auth, "base64url"), info, 32);
  const derived = (name: string, length: number) =>
    Buffer.from(hkdfSync("sha256", Buffer.from(shared), salt, `Content-Encoding: ${name}\0`, length));
  const cipher = createCipheriv("aes-128-gcm", derived("aes128gcm", 16), derived("nonce", 12));
  // The byte 2 ends the text of the last record.
  const sealed = [cipher.update(Buffer.concat([Buffer.from(text), Buffer.from([2])])), cipher.final()];
  const header = Buffer.alloc(5);
  header.writeUInt32BE(recordBytes, 0);
  header.writeUInt8(ours.length, 4);
  return Buffer.concat([salt, header, ours, ...sealed, cipher.getAuthTag()]);
}

function freshRandomness(): Randomness {
  const own = createECDH(curve);
  own.generateKeys();
  return { salt: randomBytes(16), own };
}
