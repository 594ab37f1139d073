import { ApiError } from "../../../src/contract/errors.ts";
import type { Reader } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { choicesOf, mailWays, waysOf, withoutMail } from "../choices/rules.ts";
import { noticeChoices } from "../choices/store.ts";
import { noticeFacts } from "../waiting/items-store.ts";
import { notices } from "../waiting/store.ts";
import { readStopToken, type Subscription } from "./stop-links.ts";

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
    /** Returns the name of the app. */
    read: async (token: string): Promise<string> => (await subscriptionOf(database, token)).appName,

    /** Ends all mail to the person about the app, including waiting notices. */
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

export type StopMail = ReturnType<typeof createStopMail>;
