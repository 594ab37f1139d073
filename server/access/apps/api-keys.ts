import { ApiError } from "../../../src/contract/errors.ts";
import type { keys as contract } from "../../../src/contract/keys.ts";
import { appTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { createAuditWriter } from "../audit/record.ts";
import { createKey, renewKey } from "../new-credentials.ts";
import { apiKeys } from "./access-api-keys.ts";
import { ownedApp } from "./owned-app.ts";

export function apiKeyHandlers(deps: Pick<Deps, "clock" | "database" | "newId">): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller, params }) {
      await ownedApp(deps.database, params.appId, caller);
      return { items: await apiKeys.list(deps.database, params.appId) };
    },

    create: ({ caller, address, params: { appId }, body, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const key = await createKey(deps, tx, { ...body, appId });
        await record(
          tx,
          { caller, address },
          { action: "key.create", appId, target: key.id, label: key.label },
        );
        return key;
      }),

    regenerate: ({ caller, address, params: { appId, keyId }, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const key = await renewKey(deps, tx, { appId, keyId });
        if (!key) throw new ApiError("not_found");
        await record(tx, { caller, address }, { action: "key.regenerate", appId, target: keyId });
        tx.signal(appTopic(appId));
        return key;
      }),

    remove: ({ caller, address, params: { appId, keyId }, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const removed = await apiKeys.remove(tx, appId, keyId);
        if (!removed) throw new ApiError("not_found");
        await record(tx, { caller, address }, { action: "key.delete", appId, target: keyId, ...removed });
        tx.signal(appTopic(appId));
        return undefined;
      }),
  };
}
