import type { AdminCommand, AdminRequest } from "../../src/programs.ts";
import { migrations } from "../store/engine/migrations/all-migrations.ts";
import { backUp } from "./backup.ts";
import { checkAll } from "./check.ts";
import { listKeys, listTokens, revokeKey, revokeToken } from "./credentials.ts";
import { type DeploymentPlace, withDatabase } from "./deployment-place.ts";
import { repair } from "./repair.ts";
import { resetSecret } from "./reset-secret.ts";
import { restore } from "./restore.ts";
import {
  createAccount,
  createFirstApp,
  createOwnedKey,
  createOwnersToken,
  replacePassword,
} from "./users.ts";

export type { AdminCommand } from "../../src/programs.ts";

/**
 * Does it and gives what was made or found. A running server notices at once. Throws a SettingError or an ApiError where
 * the request cannot be met, else an Error with a sentence for the operator.
 */
export function runAdmin(request: AdminRequest): Promise<Record<string, unknown>> {
  const place = { data: request.data || "./.innkeep", databaseUrl: request.databaseUrl || undefined };
  return run(request, place);
}

function run(request: AdminCommand, place: DeploymentPlace): Promise<Record<string, unknown>> {
  switch (request.command) {
    case "user create":
      return withDatabase(place, "make", (database) => createAccount(database, request));
    case "app create":
      return withDatabase(place, "update", (database) => createFirstApp(database, request));
    case "key create":
      return withDatabase(place, "update", (database) => createOwnedKey(database, request));
    case "token create":
      return withDatabase(place, "update", (database) => createOwnersToken(database, request));
    case "user password":
      return withDatabase(place, "update", (database) => replacePassword(database, request));
    case "key list":
      return withDatabase(place, "update", (database) => listKeys(database, request));
    case "key revoke":
      return withDatabase(place, "update", (database) => revokeKey(database, request));
    case "token list":
      return withDatabase(place, "update", (database) => listTokens(database, request));
    case "token revoke":
      return withDatabase(place, "update", (database) => revokeToken(database, request));
    case "migrate":
      return withDatabase(place, "make", async () => ({ migration: migrations.at(-1)?.number ?? 0 }));
    case "check":
      return withDatabase(place, "leave", async (database) => ({ ...(await checkAll(database, place)) }));
    case "repair":
      return withDatabase(place, "update", (database) => repair(database, place));
    case "secret reset":
      return withDatabase(place, "update", (database) => resetSecret(database, place));
    case "backup":
      return withDatabase(place, "leave", (database) => backUp(database, place, request.file));
    case "restore":
      return restore(place, request.file);
  }
}
