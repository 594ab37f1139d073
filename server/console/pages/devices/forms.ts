import { devices } from "../../../../src/contract/console/devices.ts";
import { goTo, type Reply } from "../../reply.ts";
import type { SignedInVisit } from "../../visit.ts";

export async function signDeviceOut({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  await ask(devices.remove, {
    params: { deviceId: param("deviceId") },
    idempotencyKey: fields.idempotencyKey,
  });
  return goTo(links.devices, "device-signed-out");
}
