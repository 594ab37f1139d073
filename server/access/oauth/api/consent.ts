import type { connectionConsent as contract } from "../../../../src/contract/connection-consent.ts";
import type { Deps } from "../../../deps.ts";
import type { Handlers } from "../../../http/handler.ts";
import { hashOf, randomName } from "../../../secrets/secrets.ts";
import { ownedApp } from "../../apps/owned-app.ts";
import { createAuditWriter } from "../../audit/record.ts";
import { lifetimes } from "../rules.ts";
import { oauthClients, oauthCodes } from "../store.ts";

/** What a person does on the consent page: mints the code of a connection. (rule A44) */
export function connectionConsentHandlers(deps: Pick<Deps, "clock" | "newId">): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    allow({ caller, address, body, save }) {
      const code = randomName();
      const now = deps.clock.now();
      return save(async (tx) => {
        const { appId, clientId, clientName } = body;
        if (appId !== null) await ownedApp(tx, appId, caller);
        await oauthCodes.insert(tx, {
          ...body,
          codeHash: hashOf(code),
          userId: caller.userId,
          scopes: JSON.stringify(["read", ...body.scopes.filter((scope) => scope !== "read")]),
          createdAt: now.toISOString(),
          expiresAt: new Date(now.getTime() + lifetimes.code).toISOString(),
        });
        await oauthClients.use(tx, clientId, now.toISOString());
        await record(
          tx,
          { caller, address },
          { action: "connection.allow", appId, target: clientId, label: clientName },
        );
        return { code };
      });
    },
  };
}
