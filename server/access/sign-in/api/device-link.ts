import { deviceScopes } from "../../../../src/contract/endpoint.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import type { DeviceGrant } from "../../../../src/contract/sign-in.ts";
import type { Transaction } from "../../../database/database.ts";
import { userTopic } from "../../../database/signals.ts";
import type { Deps } from "../../../deps.ts";
import { hashOf, mintCredential, visiblePrefix } from "../../../secrets/secrets.ts";
import { createAuditWriter } from "../../audit/record.ts";
import { devices } from "../../devices/store.ts";
import { tokenLifetimeDays } from "../rules.ts";

/** A device that an account signs in, with what the device sent about itself. */
export interface DeviceLink {
  readonly user: { readonly id: string; readonly email: string };
  /** The client's network address. */
  readonly address: string;
  readonly deviceId: string;
  readonly name: string;
  readonly timezone?: string | null | undefined;
  readonly pushToken?: string | null | undefined;
}

/**
 * Locks the device, so that only this transaction can link it. Throws `device_taken` while a token of another account
 * for the device is valid. (rule S9)
 */
export async function claimDevice(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  { user, deviceId }: Pick<DeviceLink, "user" | "deviceId">,
): Promise<void> {
  await devices.lock(tx, deviceId);
  const holder = await devices.findHolder(tx, deviceId, clock.now().toISOString());
  if (holder && holder.userId !== user.id) throw new ApiError("device_taken");
}

/**
 * Links a claimed device to an account. An earlier token of the device stops working. Only this answer holds the new
 * token.
 */
export async function linkDevice(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  linking: DeviceLink,
): Promise<DeviceGrant> {
  const { user, address, timezone } = linking;
  const token = mintCredential("sdt_");
  const { createdAt, expiresAt } = timesOf(deps.clock.now());
  if (timezone) await devices.setTimezone(tx, user.id, timezone);
  const target = await devices.link(tx, {
    id: deps.newId(),
    deviceId: linking.deviceId,
    userId: user.id,
    name: linking.name,
    pushToken: linking.pushToken || null,
    scopes: JSON.stringify(deviceScopes),
    prefix: visiblePrefix(token),
    tokenHash: hashOf(token),
    createdAt,
    expiresAt,
  });
  const caller = { kind: "session", id: user.id, userId: user.id, email: user.email } as const;
  await createAuditWriter(deps)(tx, { caller, address }, { action: "device.create", target });
  tx.signal(userTopic(user.id));
  const profile = await devices.findProfile(tx, user.id);
  return {
    token,
    expiresAt,
    scopes: [...deviceScopes],
    profile: { timezone: profile?.timezone ?? "UTC", isTester: profile?.isTester === 1 },
  };
}

const timesOf = (now: Date) => ({
  createdAt: now.toISOString(),
  expiresAt: new Date(now.getTime() + tokenLifetimeDays * 86_400_000).toISOString(),
});
