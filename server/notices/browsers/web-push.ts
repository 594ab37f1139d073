import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  ECDH,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
} from "node:crypto";
import { SignJWT } from "jose";
import type { Deps } from "../../deps.ts";
import { openAddress, sealAddress } from "../../secrets/secrets.ts";
import { type PushKeysRow, pushKeys } from "./store.ts";

const curve = "prime256v1";

/**
 * The maximum number of bytes of an encrypted notice in one record. Push services accept at least this size. (RFC 8030,
 * 7.2)
 */
const recordBytes = 4_096;

/** The keys of a browser's subscription, in base64url. */
interface SubscriptionKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** The random parts of an encryption. A test passes the values of the example in RFC 8291. */
interface Randomness {
  readonly salt: Buffer;
  readonly own: ECDH;
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

/** How long a token is valid for a push service. At most a day is allowed. (RFC 8292, 2) */
const tokenSeconds = 12 * 3_600;

/** The number of bytes of an uncompressed point. The DER form of a public key ends with these bytes. */
const pointBytes = 65;

/** The contact in a token if the address of the server is not an https address. */
const homepage = "https://github.com/innkeep/innkeep";

/**
 * Returns the keys of this server (VAPID). Creates them at the first use. If several servers need them at the same
 * time, all get the same keys. (rule N11)
 */
export async function keysOfServer({
  clock,
  database,
  sealer,
}: Pick<Deps, "clock" | "database" | "sealer">): Promise<PushKeysRow> {
  const found = await pushKeys.find(database);
  if (found !== undefined) return found;
  const made = newKeys();
  return database.write(async (tx) => {
    await tx.lock("push keys");
    const { publicKey, privateKey } = made;
    const createdAt = clock.now().toISOString();
    await pushKeys.insert(tx, { publicKey, privateSealed: sealAddress(sealer, privateKey), createdAt });
    const stored = await pushKeys.find(tx);
    if (stored === undefined) throw new Error("The keys for push services were not stored.");
    return stored;
  });
}

function newKeys() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return {
    publicKey: publicKey.export({ type: "spki", format: "der" }).subarray(-pointBytes).toString("base64url"),
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** Returns the header with which this server proves its identity to a push service. (RFC 8292) */
export async function authorizationFor(
  { clock, sealer, settings }: Pick<Deps, "clock" | "sealer" | "settings">,
  { publicKey, privateSealed }: PushKeysRow,
  endpoint: string,
): Promise<string> {
  const token = await new SignJWT()
    .setProtectedHeader({ typ: "JWT", alg: "ES256" })
    .setAudience(new URL(endpoint).origin)
    .setSubject(contactOf(settings))
    .setExpirationTime(Math.floor(clock.now().getTime() / 1_000) + tokenSeconds)
    .sign(createPrivateKey(openAddress(sealer, privateSealed)));
  return `vapid t=${token}, k=${publicKey}`;
}

/** Push services accept only an https address or a mail address. */
const contactOf = ({ consoleUrl }: Pick<Deps["settings"], "consoleUrl">): string =>
  consoleUrl.startsWith("https:") ? consoleUrl : homepage;
