import { isIP } from "node:net";
import type { PasskeyCreation, PasskeyRequest } from "../../../src/contract/passkeys.ts";
import type { Deps } from "../../deps.ts";
import { randomName } from "../../secrets/secrets.ts";
import type { PasskeyRow } from "./sign-in-passkeys.ts";

const lifetimeMilliseconds = 600_000;

/** What the server remembers of a question to an authenticator. */
export interface Ceremony {
  readonly kind: "passkey" | "new passkey";
  readonly userId: string;
  readonly challenge: string;
}

type Sealing = Pick<Deps, "sealer" | "clock">;

const sealCeremony = ({ sealer, clock }: Sealing, ceremony: Ceremony): string =>
  sealer.seal(JSON.stringify({ ...ceremony, expiresAt: clock.now().getTime() + lifetimeMilliseconds }));

/** Undefined for a value that is foreign, changed, expired, or of another kind or account. */
export function openCeremony(
  { sealer, clock }: Sealing,
  sealed: string,
  wanted: Omit<Ceremony, "challenge">,
): Ceremony | undefined {
  try {
    const { kind, userId, challenge, expiresAt } = Object(JSON.parse(sealer.open(sealed)));
    const fits = kind === wanted.kind && userId === wanted.userId && typeof challenge === "string";
    return fits && clock.now().getTime() < Number(expiresAt) ? { ...wanted, challenge } : undefined;
  } catch {
    return undefined;
  }
}

/** The host to which passkeys belong; undefined if browsers make none for it, because it is a number. */
export function passkeyHost({ consoleUrl }: Pick<Deps["settings"], "consoleUrl">): string | undefined {
  const { hostname } = new URL(consoleUrl);
  return isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? hostname : undefined;
}

/** The pages from which an authenticator may be asked. */
export const passkeyOrigins = ({ consoleUrl, baseUrl }: Pick<Deps["settings"], "consoleUrl" | "baseUrl">) => [
  ...new Set([consoleUrl, baseUrl].map((url) => new URL(url).origin)),
];

const descriptorOf = ({ credentialId, transports }: PasskeyRow) => ({
  ...{ type: "public-key" as const, id: credentialId, transports: namesIn(transports) },
});

function namesIn(json: string): string[] {
  const names: unknown = JSON.parse(json);
  return Array.isArray(names) ? names.map(String) : [];
}

interface Asking {
  readonly user: { readonly id: string; readonly email: string };
  readonly host: string;
  readonly rows: readonly PasskeyRow[];
}

/** Asks for one of these passkeys. */
function passkeyRequest(deps: Sealing, { user, host, rows }: Asking): PasskeyRequest {
  const challenge = randomName();
  return {
    ceremony: sealCeremony(deps, { kind: "passkey", userId: user.id, challenge }),
    options: {
      ...{ challenge, rpId: host, timeout: lifetimeMilliseconds, userVerification: "discouraged" },
      allowCredentials: rows.map(descriptorOf),
    },
  };
}

/** The same, or null if there is no passkey that a browser would use here. */
export function passkeyRequestFor(
  deps: Sealing & Pick<Deps, "settings">,
  user: Asking["user"],
  rows: readonly PasskeyRow[],
): PasskeyRequest | null {
  const host = passkeyHost(deps.settings);
  return host === undefined || rows.length === 0 ? null : passkeyRequest(deps, { user, host, rows });
}

/** Ed25519, ECDSA with P-256, RSA. */
const algorithms = [-8, -7, -257];

/** Asks for a new passkey, beside these. */
export function passkeyCreation(deps: Sealing, { user, host, rows }: Asking): PasskeyCreation {
  const challenge = randomName();
  const { id, email: name } = user;
  return {
    ceremony: sealCeremony(deps, { kind: "new passkey", userId: id, challenge }),
    options: {
      challenge,
      rp: { id: host, name: "Innkeep" },
      user: { id: Buffer.from(id).toString("base64url"), name, displayName: name },
      pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
      timeout: lifetimeMilliseconds,
      attestation: "none",
      authenticatorSelection: { residentKey: "discouraged", userVerification: "discouraged" },
      excludeCredentials: rows.map(descriptorOf),
    },
  };
}
