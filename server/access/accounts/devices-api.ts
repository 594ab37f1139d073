import type { devices as contract } from "../../../src/contract/devices.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { userTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { createAuditWriter } from "../audit/record.ts";
import { devices as rows } from "../sign-in/devices-store.ts";

/** Returns the handlers that list the caller's devices and sign them out. (rule S19) */
export function devices(deps: Pick<Deps, "clock" | "database" | "newId">): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller }) {
      const found = await rows.list(deps.database, caller.userId, deps.clock.now().toISOString());
      return { items: found.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) })) };
    },

    remove: ({ caller, address, params: { deviceId }, save }) =>
      save(async (tx) => {
        if (!(await rows.remove(tx, caller.userId, deviceId))) throw new ApiError("not_found");
        await record(tx, { caller, address }, { action: "device.delete", target: deviceId });
        tx.signal(userTopic(caller.userId));
        return undefined;
      }),
  };
}
