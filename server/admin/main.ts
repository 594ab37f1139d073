import type { AdminCommand, AdminRequest } from "../../src/programs.ts";
import type { DataLocation } from "../settings/settings.ts";
import { migrations } from "../store/engine/migrations/all-migrations.ts";
import { backUp } from "./backup.ts";
import { checkAll } from "./check.ts";
import { listKeys, listTokens, revokeKey, revokeToken } from "./credentials.ts";
import { withDatabase } from "./data-location.ts";
import { eraseUser } from "./erase.ts";
import { importOwned } from "./import.ts";
import { checkMail, sendTestMail } from "./mail.ts";
import { addMember, changeRole, listMembers, removeMember } from "./members.ts";
import { repair } from "./repair.ts";
import { resetSecret } from "./reset-secret.ts";
import { restore } from "./restore.ts";
import {
  createAccount,
  createFirstApp,
  createOwnedKey,
  createOwnersToken,
  removeSecondFactor,
  replacePassword,
} from "./users.ts";

export type { AdminCommand } from "../../src/programs.ts";

/**
 * Runs the command and gives its result. A running server notices the changes at once. Throws a SettingError or an ApiError
 * for a request that cannot be carried out, otherwise an Error with a message for the operator.
 */
export function runAdmin(request: AdminRequest): Promise<Record<string, unknown>> {
  const location = { data: request.data || "./.innkeep", databaseUrl: request.databaseUrl || undefined };
  return run(request, location);
}

function run(request: AdminCommand, location: DataLocation): Promise<Record<string, unknown>> {
  switch (request.command) {
    case "user create":
      return withDatabase(location, "create", (database) => createAccount(database, request));
    case "app create":
      return withDatabase(location, "update", (database) => createFirstApp(database, request));
    case "app import":
      return withDatabase(location, "update", (database) => importOwned(database, location, request));
    case "key create":
      return withDatabase(location, "update", (database) => createOwnedKey(database, request));
    case "token create":
      return withDatabase(location, "update", (database) => createOwnersToken(database, request));
    case "user password":
      return withDatabase(location, "update", (database) => replacePassword(database, request));
    case "user remove-second-factor":
      return withDatabase(location, "update", (database) => removeSecondFactor(database, request));
    case "member list":
      return withDatabase(location, "update", (database) => listMembers(database, request));
    case "member add":
      return withDatabase(location, "update", (database) => addMember(database, request));
    case "member role":
      return withDatabase(location, "update", (database) => changeRole(database, request));
    case "member remove":
      return withDatabase(location, "update", (database) => removeMember(database, request));
    case "user erase":
      return withDatabase(location, "update", (database) => eraseUser(database, location, request));
    case "key list":
      return withDatabase(location, "update", (database) => listKeys(database, request));
    case "key revoke":
      return withDatabase(location, "update", (database) => revokeKey(database, request));
    case "token list":
      return withDatabase(location, "update", (database) => listTokens(database, request));
    case "token revoke":
      return withDatabase(location, "update", (database) => revokeToken(database, request));
    case "mail check":
      return checkMail(request);
    case "mail test":
      return sendTestMail(request);
    case "migrate":
      return withDatabase(location, "create", async () => ({ migration: migrations.at(-1)?.number ?? 0 }));
    case "check":
      return withDatabase(location, "leave", async (database) => ({
        ...(await checkAll(database, location)),
      }));
    case "repair":
      return withDatabase(location, "update", (database) => repair(database, location));
    case "secret reset":
      return withDatabase(location, "update", (database) => resetSecret(database, location));
    case "backup":
      return withDatabase(location, "leave", (database) => backUp(database, location, request.file));
    case "restore":
      return restore(location, request.file);
  }
}
