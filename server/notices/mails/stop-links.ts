import type { Deps } from "../../deps.ts";
import type { Sealer } from "../../secrets/secrets.ts";

/** The beginning of the path of the page on which a person ends mail about an app. */
export const stopPath = "/p/n";

/** A person and the app about which the person gets mail. */
export interface Subscription {
  readonly userId: string;
  readonly appId: string;
}

/** Returns the address that ends mail about an app. It needs no sign-in, and gives no other right. (rule N6) */
export const stopUrlOf = (
  { sealer, settings }: Pick<Deps, "sealer" | "settings">,
  subscription: Subscription,
): string => `${settings.baseUrl}${stopPath}/${stopTokenOf(sealer, subscription)}`;

const idBytes = 16;

const macDigits = 32;

const form = /^[\w-]{64}$/;

/** Returns a token of two ids and a MAC. It is not stored: the same token can be computed at any time. */
function stopTokenOf(sealer: Pick<Sealer, "mark">, { userId, appId }: Subscription): string {
  const head = (userId + appId).replaceAll("-", "").toLowerCase();
  return Buffer.from(head + sealer.mark(markedText(head)).slice(0, macDigits), "hex").toString("base64url");
}

/** Reads a token. Returns undefined if this deployment did not make it. */
export function readStopToken(sealer: Pick<Sealer, "isMark">, token: string): Subscription | undefined {
  if (!form.test(token)) return undefined;
  const bytes = Buffer.from(token, "base64url");
  const [head, mac] = [bytes.subarray(0, 2 * idBytes), bytes.subarray(2 * idBytes)];
  if (
    bytes.toString("base64url") !== token ||
    !sealer.isMark(markedText(head.toString("hex")), mac.toString("hex"))
  )
    return undefined;
  return { userId: uuidOf(head.subarray(0, idBytes)), appId: uuidOf(head.subarray(idBytes)) };
}

const markedText = (head: string): string => `no more mail with notices\n${head}`;

const uuidOf = (bytes: Buffer): string =>
  bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
