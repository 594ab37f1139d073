import { createPublicKey, createSecretKey } from "node:crypto";
import * as z from "zod/mini";
import { jsonIn } from "../../src/contract/json.ts";
import { codePath } from "../../src/contract/sign-in.ts";
import { SettingError } from "./setting-error.ts";
import { type AttestationSettings, type Environment, type IdentityProvider, isLoopback } from "./settings.ts";

/**
 * Returns the only address, besides the app schemes, to which a sign-in code may be sent. It must be https, or http on
 * loopback. The default is the server's own page that shows the code. Undefined if the address of the server is neither
 * https nor loopback. Throws a SettingError for any other given address.
 */
export function redirectUrlOf(given: string | undefined, baseUrl: string): string | undefined {
  if (given === undefined) return isTarget(baseUrl) ? baseUrl + codePath : undefined;
  if (isTarget(given)) return given;
  throw new SettingError(
    `INNKEEP_REDIRECT_URL must be an https address without fragment and user, or http://localhost, not \`${given}\`.`,
  );
}

function isTarget(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The check is strict, because the text is written into a header unchanged.
  if (!url || !/^[\x21-\x7e]+$/.test(text) || text.includes("#") || url.username || url.password)
    return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/**
 * Returns how devices prove that they run the real app: `off`, or `play-integrity` with its keys. Throws a SettingError
 * for a wrong value.
 */
export function attestationOf(environment: Environment): AttestationSettings {
  const kind = environment.INNKEEP_ATTESTATION ?? "off";
  if (kind === "off") return { kind };
  if (kind !== "play-integrity")
    throw new SettingError(`INNKEEP_ATTESTATION must be \`off\` or \`play-integrity\`, not \`${kind}\`.`);
  return {
    kind,
    packageNames: namesOf(environment, "INNKEEP_PLAY_PACKAGES").map(packageNameOf),
    certificates: namesOf(environment, "INNKEEP_PLAY_CERTIFICATES").map(certificateOf),
    decryptionKey: keyOf(environment, "INNKEEP_PLAY_DECRYPTION_KEY", isAesKey),
    verificationKey: keyOf(environment, "INNKEEP_PLAY_VERIFICATION_KEY", isP256Key),
  };
}

function namesOf(environment: Environment, name: string): string[] {
  const names = (environment[name] ?? "").split(",").flatMap((entry) => entry.trim() || []);
  if (names.length > 0) return names;
  throw new SettingError(
    `${name} must list at least one entry while INNKEEP_ATTESTATION is \`play-integrity\`.`,
  );
}

function packageNameOf(given: string): string {
  if (/^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/.test(given)) return given;
  throw new SettingError(
    `INNKEEP_PLAY_PACKAGES must list package names such as com.example.app, not \`${given}\`.`,
  );
}

/**
 * Returns the digest in base64url, as integrity verdicts contain it. Takes base64url, or the hexadecimal form of the
 * Play Console.
 */
function certificateOf(given: string): string {
  const hex = given.replaceAll(":", "");
  if (/^[0-9a-f]{64}$/i.test(hex)) return Buffer.from(hex, "hex").toString("base64url");
  const bytes = Buffer.from(given, "base64url");
  if (/^[\w-]{43}=?$/.test(given) && bytes.length === 32) return bytes.toString("base64url");
  throw new SettingError(
    `INNKEEP_PLAY_CERTIFICATES must list SHA-256 digests in hexadecimal or base64url, not \`${given}\`.`,
  );
}

// The error never quotes the key, because a mistyped value may contain most of the secret.
function keyOf(environment: Environment, name: string, isKey: (bytes: Buffer) => boolean): string {
  const given = (environment[name] ?? "").replace(/\s/g, "");
  if (/^[A-Za-z0-9+/]+=*$/.test(given) && isKey(Buffer.from(given, "base64"))) return given;
  throw new SettingError(`${name} must be the key that the Play Console shows, in base64.`);
}

const isAesKey = (bytes: Buffer): boolean =>
  bytes.length === 32 && createSecretKey(bytes).symmetricKeySize === 32;

function isP256Key(bytes: Buffer): boolean {
  try {
    const key = createPublicKey({ key: bytes, format: "der", type: "spki" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    return false;
  }
}

const Providers = z.array(
  z.object({
    id: z.string().check(z.regex(/^[a-z0-9-]{1,40}$/)),
    name: z.string().check(z.minLength(1), z.maxLength(100)),
    issuer: z.string().check(z.refine(isIssuer)),
    clientId: z.string().check(z.minLength(1)),
    clientSecret: z.optional(z.string().check(z.minLength(1))),
  }),
);

/**
 * Whether a text can be the address of a provider. OpenID Connect requires https. http on loopback is allowed for
 * tests.
 */
function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.search || url.username || url.password || text.includes("/.well-known/")) return false;
  return isTarget(text);
}

/**
 * Reads the OpenID Connect providers from a JSON array. Throws a SettingError if it does not have the expected form.
 */
export function identityProvidersOf(given: string | undefined): IdentityProvider[] {
  if (given === undefined) return [];
  const { success, data = [], error } = Providers.safeParse(jsonIn(given));
  if (!success) throw new SettingError(`${providersWanted}${faultsOf(error)}.`);
  const ids = data.map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw new SettingError(`${providersWanted}, each id once.`);
  return data.map((provider) => ({ clientSecret: undefined, ...provider }));
}

const providersWanted =
  "INNKEEP_IDENTITY_PROVIDERS must be a JSON array of {id, name, issuer, clientId, clientSecret?}";

/** Returns a text with the names of the wrong entries, but without their values, because some are secrets. */
function faultsOf({ issues }: z.core.$ZodError): string {
  const paths = new Set(issues.map(({ path }) => path.join(".")).filter((path) => path !== ""));
  return paths.size === 0 ? "" : `; wrong: ${[...paths].join(", ")}`;
}
