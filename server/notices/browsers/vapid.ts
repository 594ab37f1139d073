import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { SignJWT } from "jose";
import type { Deps } from "../../deps.ts";
import { openAddress, sealAddress } from "../../secrets/addresses.ts";
import { type PushKeysRow, pushKeys } from "./store.ts";

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
