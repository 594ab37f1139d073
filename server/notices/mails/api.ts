import { ApiError } from "../../../src/contract/errors.ts";
import type { Reader } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import {
  digitsOfUuid,
  type LinkKind,
  linkTokenOf,
  readLinkToken,
  type Sealer,
  uuidBytes,
  uuidOf,
} from "../../secrets/secrets.ts";
import { choicesOf, mailWays, waysOf, withoutMail } from "../choices/rules.ts";
import { noticeChoices } from "../choices/store.ts";
import { noticeFacts, notices } from "../waiting/store.ts";

type StopDeps = Pick<Deps, "database" | "sealer">;

/** Creates the functions that end mail about an app. The link in the mail is the only credential. (rule N6) */
export const createStopMail = ({ database, sealer }: StopDeps) => {
  /** Returns the person and the app of a link. Throws `not_found` for every kind of wrong link. */
  const subscriptionOf = async (reader: Reader, token: string) => {
    const subscription = readStopToken(sealer, token);
    const member = subscription && (await noticeChoices.member(reader, subscription));
    const appName = subscription && (await noticeFacts.appName(reader, subscription.appId));
    if (!subscription || !member || appName === undefined) throw new ApiError("not_found");
    return { subscription, member, appName };
  };
  return {
    /** Returns the name of the app that the link is about. */
    read: async (token: string): Promise<string> => (await subscriptionOf(database, token)).appName,

    /**
     * Ends all mail about the app. Returns the app name. Throws `not_found` for a wrong link or a former
     * member.
     */
    stop: (token: string): Promise<string> =>
      database.write(async (tx) => {
        const { subscription, appName } = await subscriptionOf(tx, token);
        const { userId, appId }: Subscription = subscription;
        await tx.lock(`notices:${userId}:${appId}`);
        const member = await noticeChoices.member(tx, subscription);
        if (!member) throw new ApiError("not_found");
        const { role, stormPerHour } = member;
        const choices = withoutMail(choicesOf(member.choices));
        const wantsReports = waysOf(role, "report", choices).length > 0 ? 1 : 0;
        await noticeChoices.set(tx, {
          ...{ userId, appId, choices: JSON.stringify(choices) },
          ...{ stormPerHour, wantsReports },
        });
        await notices.drop(tx, subscription, mailWays);
        return appName;
      }),
  };
};

/** The beginning of the path of the page on which a person ends mail about an app. */
export const stopPath = "/p/n";

/** A person and the app about which the person gets mail. */
interface Subscription {
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
function readStopToken(sealer: Pick<Sealer, "isMark">, token: string): Subscription | undefined {
  const head = readLinkToken(sealer, kind, token);
  return head && { userId: uuidOf(head.subarray(0, uuidBytes)), appId: uuidOf(head.subarray(uuidBytes)) };
}
