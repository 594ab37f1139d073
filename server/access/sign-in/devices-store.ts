import type { Device } from "../../../src/contract/devices.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/access.ts";
import { select } from "../../database/statements.ts";

/** A row of `devices`. `scopes` is a JSON array. */
export interface DeviceRow extends Omit<Device, "scopes"> {
  readonly scopes: string;
}

export interface ProfileRow {
  readonly timezone: string;
  readonly isTester: number;
}

const devicesOf = select(
  tables.devices,
  ["id", "name", "prefix", "scopes", "createdAt", "expiresAt", "lastUsedAt"],
  "WHERE user_id = ? AND expires_at > ? ORDER BY created_at DESC, id DESC",
);

/** The devices of testers. Each has one row, one account and one token. (rule S9) */
export const devices = {
  /** Locks a device and its codes against other transactions until this one ends. */
  lock: (tx: Transaction, deviceId: string) => tx.lock(`device:${deviceId}`),

  /** Returns the account for which the device has a valid token. */
  findHolder: (tx: Transaction, deviceId: string, now: string) =>
    tx.get<{ userId: string }>(
      `SELECT user_id AS "userId" FROM devices WHERE device_id = ? AND expires_at > ?`,
      deviceId,
      now,
    ),

  /**
   * Whether a device is linked to the account with this e-mail address, even if the token of the device has expired.
   */
  isLinked: async (reader: Reader, deviceId: string, email: string): Promise<boolean> =>
    (await reader.get(
      `SELECT 1 AS one FROM devices JOIN users ON users.id = devices.user_id
       WHERE devices.device_id = ? AND users.email = ?`,
      deviceId,
      email,
    )) !== undefined,

  /**
   * Links a device to an account, and replaces an earlier link of the device. Returns the id of the row. A new link to
   * the same account keeps this id.
   */
  async link(
    tx: Transaction,
    device: Omit<DeviceRow, "lastUsedAt"> & {
      /** The id that the device has chosen. */
      readonly deviceId: string;
      readonly userId: string;
      readonly pushToken: string | null;
      readonly tokenHash: string;
    },
  ): Promise<string> {
    const row = await tx.get<{ id: string }>(
      `INSERT INTO devices (id, device_id, user_id, name, push_token, scopes, prefix, token_hash, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (device_id) DO UPDATE SET
         id = CASE WHEN devices.user_id = excluded.user_id THEN devices.id ELSE excluded.id END,
         user_id = excluded.user_id, name = excluded.name, push_token = excluded.push_token,
         scopes = excluded.scopes, prefix = excluded.prefix, token_hash = excluded.token_hash,
         created_at = excluded.created_at, expires_at = excluded.expires_at, last_used_at = NULL
       RETURNING id`,
      ...[device.id, device.deviceId, device.userId, device.name, device.pushToken, device.scopes],
      ...[device.prefix, device.tokenHash, device.createdAt, device.expiresAt],
    );
    return row?.id ?? device.id;
  },

  /** Returns the devices of an account that have a valid token, newest first. */
  list: (reader: Reader, userId: string, now: string): Promise<DeviceRow[]> =>
    reader.all(devicesOf, userId, now),

  /** Signs a device out. Returns false if the account has no such device. */
  remove: async (tx: Transaction, userId: string, id: string): Promise<boolean> =>
    (await tx.run("DELETE FROM devices WHERE user_id = ? AND id = ?", userId, id)) === 1,

  setTimezone: (tx: Transaction, userId: string, timezone: string) =>
    tx.run("UPDATE users SET timezone = ? WHERE id = ?", timezone, userId),

  /** Sets the token with which push messages are sent to a device. Null turns the messages off. */
  setPushToken: (tx: Transaction, id: string, pushToken: string | null) =>
    tx.run("UPDATE devices SET push_token = ? WHERE id = ?", pushToken, id),

  /**
   * Returns the part of an account that its devices may read. `isTester` says whether the account has or had a slot in
   * a test. (rule S21)
   */
  findProfile: (reader: Reader, userId: string) =>
    reader.get<ProfileRow>(
      `SELECT timezone, CASE WHEN EXISTS (SELECT 1 FROM slots WHERE tester_id = users.id) THEN 1 ELSE 0 END AS "isTester"
       FROM users WHERE id = ?`,
      userId,
    ),
};
