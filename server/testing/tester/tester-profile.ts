import type { Profile } from "../../../src/contract/sign-in.ts";
import type { tester as contract } from "../../../src/contract/tester.ts";
import { devices } from "../../access/devices/store.ts";
import type { Request } from "../../http/handler.ts";

/**
 * Changes the account's time zone and the push token of this device. A null or blank `pushToken` turns notifications
 * off.
 */
export async function updateProfile({
  caller,
  body,
  save,
}: Request<typeof contract.updateProfile>): Promise<Profile> {
  return save(async (tx) => {
    if (body.timezone !== undefined) await devices.setTimezone(tx, caller.userId, body.timezone);
    if (body.pushToken !== undefined) await devices.setPushToken(tx, caller.id, body.pushToken || null);
    const profile = await devices.findProfile(tx, caller.userId);
    return { timezone: profile?.timezone ?? "UTC", isTester: profile?.isTester === 1 };
  });
}
