import { devices } from "../../../src/contract/devices.ts";
import { goTo, type Reply } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";

export async function signDeviceOut({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  await ask(devices.remove, {
    params: { deviceId: param("deviceId") },
    idempotencyKey: fields.idempotencyKey,
  });
  return goTo(links.devices, "device-signed-out");
}
