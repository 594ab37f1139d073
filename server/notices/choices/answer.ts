import type { AppNotices, OwnNotices } from "../../../src/contract/notices.ts";
import { choicesOf, defaultStorm, kindsFor, offeredWays, waysOf } from "./rules.ts";
import { type HoursRow, type MemberOfApp, quietHoursOf } from "./store.ts";

/** Returns which notices a person gets about each app. (rule N1) */
export function ownNotices({
  hours,
  apps,
  sendsMail,
  browsers,
}: {
  /** Undefined if the account was deleted. */
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
