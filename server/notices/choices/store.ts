import type { Role } from "../../../src/contract/endpoint.ts";
import type { QuietHours } from "../../../src/contract/notices.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/notices.ts";
import { insert } from "../../database/transaction.ts";

/** A member of an app with the notices that the member has chosen. */
export interface MemberRow {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  readonly emailVerifiedAt: string | null;
  readonly timezone: string;
  readonly quietFrom: string | null;
  readonly quietTo: string | null;
  /** The choices as JSON; null if the member has only the defaults. */
  readonly choices: string | null;
  readonly stormPerHour: number | null;
}

/** A member, and one app of the member. */
export interface MemberOfApp extends MemberRow {
  readonly appId: string;
  readonly name: string;
}

const columns = `m.user_id AS "userId", u.email, m.role, u.email_verified_at AS "emailVerifiedAt", u.timezone,
  u.quiet_from AS "quietFrom", u.quiet_to AS "quietTo", n.choices, n.storm_per_hour AS "stormPerHour"`;

const from = `FROM app_members m JOIN users u ON u.id = m.user_id
  LEFT JOIN notice_choices n ON n.user_id = m.user_id AND n.app_id = m.app_id`;

const set = insert(
  tables.noticeChoices,
  `ON CONFLICT (user_id, app_id) DO UPDATE SET choices = excluded.choices,
     storm_per_hour = excluded.storm_per_hour, wants_reports = excluded.wants_reports`,
);

/** The time zone and the quiet hours of a person. */
export interface HoursRow {
  readonly timezone: string;
  readonly quietFrom: string | null;
  readonly quietTo: string | null;
  readonly emailVerifiedAt: string | null;
}

/** The notices that members have chosen. (rule N1) */
export const noticeChoices = {
  /** Returns the members of an app with their choices. */
  members: (reader: Reader, appId: string) =>
    reader.all<MemberRow>(`SELECT ${columns} ${from} WHERE m.app_id = ? ORDER BY m.user_id`, appId),

  /** Returns a member with the member's choices; undefined if the person is not a member. */
  member: (reader: Reader, { appId, userId }: { readonly appId: string; readonly userId: string }) =>
    reader.get<MemberRow>(`SELECT ${columns} ${from} WHERE m.app_id = ? AND m.user_id = ?`, appId, userId),

  /** Returns the apps of a person, sorted by name, with the person's choices. With `onlyApp`, returns only that app. */
  apps: (reader: Reader, userId: string, onlyApp: string | null) =>
    reader.all<MemberOfApp>(
      `SELECT ${columns}, m.app_id AS "appId", a.name ${from} JOIN apps a ON a.id = m.app_id
       WHERE m.user_id = ? AND m.app_id = coalesce(?, m.app_id) ORDER BY a.name, a.id`,
      ...[userId, onlyApp],
    ),

  set: (
    tx: Transaction,
    row: {
      readonly userId: string;
      readonly appId: string;
      /** The choices as JSON. */
      readonly choices: string;
      readonly stormPerHour: number | null;
      readonly wantsReports: number;
    },
  ) => set(tx, row),

  hours: (reader: Reader, userId: string) =>
    reader.get<HoursRow>(
      `SELECT timezone, quiet_from AS "quietFrom", quiet_to AS "quietTo", email_verified_at AS "emailVerifiedAt"
       FROM users WHERE id = ?`,
      userId,
    ),

  setHours: (tx: Transaction, userId: string, timezone: string, quiet: QuietHours | null) =>
    tx.run(
      "UPDATE users SET timezone = ?, quiet_from = ?, quiet_to = ? WHERE id = ?",
      ...[timezone, quiet?.from ?? null, quiet?.to ?? null, userId],
    ),

  /** Deletes the choices of a person who is no longer a member. */
  remove: (tx: Transaction, { appId, userId }: { readonly appId: string; readonly userId: string }) =>
    tx.run("DELETE FROM notice_choices WHERE user_id = ? AND app_id = ?", userId, appId),
};

/** Returns the quiet hours of a person; null for none. */
export const quietHoursOf = ({
  quietFrom: from,
  quietTo: to,
}: Pick<HoursRow, "quietFrom" | "quietTo">): QuietHours | null =>
  from === null || to === null ? null : { from, to };
