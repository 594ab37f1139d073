import type { tokens as contract } from "../../../src/contract/credentials.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { ownedApp } from "../apps/store.ts";
import { createAuditWriter } from "../audit/record.ts";
import { createToken, grantedScopes, rotateToken } from "../credentials.ts";
import { tokens as rows } from "./store.ts";

export function tokens(deps: Pick<Deps, "clock" | "database" | "newId">): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller }) {
      const found = await rows.list(deps.database, caller, deps.clock.now().toISOString());
      return {
        items: found.map((row) => ({ ...row, scopes: JSON.parse(row.scopes), ended: row.ended === 1 })),
      };
    },

    create({ caller, address, body, save }) {
      const { kind, label, appId = null, expiresAt } = body;
      const scopes = grantedScopes(kind, body.scopes ?? []);
      return save(async (tx) => {
        // An agent acts for an owner, but a maintainer token acts with the rights of its creator. (rule K22)
        const needs = kind === "agent" ? "owner" : "viewer";
        if (appId !== null) await ownedApp(tx, appId, { ...caller, needs });
        const wanted = {
          kind,
          label,
          scopes,
          appId,
          userId: caller.userId,
          createdBy: caller.email,
          expiresAt,
        };
        const token = await createToken(deps, tx, wanted);
        await record(tx, { caller, address }, { action: "token.create", appId, target: token.id, label });
        return token;
      });
    },

    rotate: ({ caller, address, params: { tokenId }, body: { graceMinutes = 0, expiresAt }, save }) =>
      save(async (tx) => {
        const token = await rotateToken(deps, tx, { of: caller, id: tokenId, graceMinutes, expiresAt });
        if (!token) throw new ApiError("not_found");
        const { appId, label } = token;
        await record(tx, { caller, address }, { action: "token.rotate", appId, target: tokenId, label });
        return token;
      }),

    remove: ({ caller, address, params: { tokenId }, save }) =>
      save(async (tx) => {
        const removed = await rows.remove(tx, caller, tokenId);
        if (!removed) throw new ApiError("not_found");
        await record(tx, { caller, address }, { action: "token.delete", ...removed, target: tokenId });
        return undefined;
      }),
  };
}
