import type { Deps } from "../../deps.ts";
import {
  digitsOfUuid,
  type LinkKind,
  linkTokenOf,
  readLinkToken,
  uuidBytes,
  uuidOf,
} from "../../secrets/link-tokens.ts";
import type { Sealer } from "../../secrets/secrets.ts";

/** The beginning of the path of the page on which a person ends mail about an app. */
export const stopPath = "/p/n";

/** A person and the app about which the person gets mail. */
export interface Subscription {
  readonly userId: string;
  readonly appId: string;
}

/** Returns the address that ends mail about an app. It needs no sign-in, and grants no other right. (rule N6) */
export const stopUrlOf = (
  { sealer, settings }: Pick<Deps, "sealer" | "settings">,
  subscription: Subscription,
): string => `${settings.baseUrl}${stopPath}/${stopTokenOf(sealer, subscription)}`;

const kind: LinkKind = { purpose: "no more mail with notices", headBytes: 2 * uuidBytes };

const stopTokenOf = (sealer: Pick<Sealer, "mark">, { userId, appId }: Subscription): string =>
  linkTokenOf(sealer, kind, digitsOfUuid(userId) + digitsOfUuid(appId));

/** Reads a token. Returns undefined if it was not created with the secret of this server. */
export function readStopToken(sealer: Pick<Sealer, "isMark">, token: string): Subscription | undefined {
  const head = readLinkToken(sealer, kind, token);
  return head && { userId: uuidOf(head.subarray(0, uuidBytes)), appId: uuidOf(head.subarray(uuidBytes)) };
}
