import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import {
  type AppNotices,
  type notices as contract,
  type GivenChoices,
  noticeKinds,
  type OwnNotices,
} from "../../../src/contract/notices.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { appTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller, Handlers } from "../../http/handler.ts";
import { sendsMail } from "../../mail/outgoing/queue.ts";
import { noticeBrowsers } from "../browsers/store.ts";
import { changeHours } from "./hours.ts";
import { changedChoices, choicesOf, defaultStorm, kindsFor, offeredWays, waysOf } from "./rules.ts";
import { type HoursRow, type MemberOfApp, noticeChoices, quietHoursOf } from "./store.ts";

/** Returns the handlers for the notices that a person has chosen. (rules N1, N2, N4) */
export function notices(
  deps: Pick<Deps, "clock" | "database" | "settings">,
): Pick<Handlers<typeof contract>, "read" | "change"> {
  /** Returns which notices a person gets about the apps that the credential may read. */
  const own = async (reader: Reader, { userId, appId: onlyApp }: ConsoleCaller) =>
    ownNotices({
      hours: await noticeChoices.hours(reader, userId),
      apps: await noticeChoices.apps(reader, userId, onlyApp),
      sendsMail: sendsMail(deps.settings),
      browsers: await noticeBrowsers.count(reader, userId, deps.clock.now().toISOString()),
    });
  return {
    read: ({ caller }) => own(deps.database, caller),

    change: ({ caller, body: { timezone, quietHours, apps = [] }, save }) => {
      if (quietHours && quietHours.from === quietHours.to)
        throw badRequest("quietHours.to", "must not be the same time as `from`");
      return save(async (tx) => {
        for (const change of apps) await changeApp(tx, caller, change);
        if (timezone !== undefined || quietHours !== undefined)
          await changeHours(deps, tx, caller.userId, { timezone, quietHours });
        return own(tx, caller);
      });
    },
  };
}

/** Changes which notices a member gets about an app. Throws `not_found` and `bad_request`. (rules N1, N2) */
async function changeApp(
  tx: Transaction,
  { userId, appId: onlyApp }: ConsoleCaller,
  {
    appId,
    kinds = {},
    stormPerHour: perHour,
  }: {
    readonly appId: string;
    readonly kinds?: GivenChoices | undefined;
    readonly stormPerHour?: number | undefined;
  },
): Promise<void> {
  const member = onlyApp === null || onlyApp === appId ? await memberOf(tx, appId, userId) : undefined;
  if (member === undefined) throw new ApiError("not_found");
  const { role } = member;
  for (const kind of noticeKinds) {
    const refused = (kinds[kind] ?? []).find((way) => !offeredWays(role, kind).includes(way));
    if (refused !== undefined)
      throw badRequest(`apps.kinds.${kind}`, `must be left out, because your role is ${role}`);
  }
  const choices = changedChoices(choicesOf(member.choices), kinds);
  const wantsReports = waysOf(role, "report", choices).length > 0 ? 1 : 0;
  const stormPerHour = perHour ?? member.stormPerHour;
  await noticeChoices.set(tx, {
    ...{ userId, appId, choices: JSON.stringify(choices) },
    ...{ stormPerHour, wantsReports },
  });
  // After this signal, servers load app keys again. `hasReceivers` of a key decides whether reports become
  // events and notices.
  tx.signal(appTopic(appId));
}

async function memberOf(tx: Transaction, appId: string, userId: string) {
  await tx.lock(`notices:${userId}:${appId}`);
  return noticeChoices.member(tx, { appId, userId });
}

/** Returns which notices a person gets about each app. (rule N1) */
function ownNotices({
  hours,
  apps,
  sendsMail,
  browsers,
}: {
  /** The time zone and the quiet hours of the person; undefined if the account was deleted. */
  readonly hours: HoursRow | undefined;
  readonly apps: readonly MemberOfApp[];
  readonly sendsMail: boolean;
  readonly browsers: number;
}): OwnNotices {
  const unverified = hours?.emailVerifiedAt == null ? "address_unverified" : null;
  return {
    timezone: hours?.timezone ?? "UTC",
    quietHours: hours ? quietHoursOf(hours) : null,
    noMail: sendsMail ? unverified : "server_sends_none",
    browsers,
    apps: apps.map(appNotices),
  };
}

function appNotices({ appId, name, role, choices: stored, stormPerHour }: MemberOfApp): AppNotices {
  const choices = choicesOf(stored);
  return {
    ...{ appId, name, role },
    kinds: kindsFor(role).map((kind) => ({
      kind,
      ways: [...waysOf(role, kind, choices)],
      offered: [...offeredWays(role, kind)],
      byDefault: choices[kind] === undefined,
    })),
    stormPerHour: stormPerHour ?? defaultStorm,
  };
}
