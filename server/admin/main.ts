import type { AdminCommand, AdminEnvironment, AdminRequest } from "../../src/programs.ts";
import { adopt } from "../backup/adopt.ts";
import { backUp } from "../backup/backup.ts";
import { restore } from "../backup/restore.ts";
import { verify } from "../backup/verify.ts";
import { migrations } from "../database/migrations.ts";
import { s3Of } from "../settings/s3.ts";
import type { DataLocation } from "../settings/settings.ts";
import { storeFault } from "../start/open-files.ts";
import {
  addMember,
  changeRole,
  createAccount,
  createFirstApp,
  createOwnedKey,
  createOwnersToken,
  listKeys,
  listMembers,
  listTokens,
  removeMember,
  removeSecondFactor,
  replacePassword,
  revokeKey,
  revokeToken,
  rotateOwnersToken,
} from "./accounts.ts";
import { checkAll, checkStore, readDrill } from "./check.ts";
import { withDatabase } from "./data-location.ts";
import { eraseUser } from "./erase.ts";
import { importOwned } from "./import.ts";
import { checkMail, sendTestMail } from "./mail.ts";
import { moveFiles } from "./move-files.ts";
import { repair } from "./repair.ts";
import { resetSecret } from "./secrets.ts";

export type { AdminCommand } from "../../src/programs.ts";

/**
 * Runs an admin command on the database and the files. Returns the result as `--json` prints it. A running server
 * notices the changes immediately. Throws a SettingError or an ApiError if the request cannot be carried out. Otherwise
 * throws an Error with a message for the operator. (rule O5)
 */
export async function runAdmin(request: AdminRequest): Promise<Record<string, unknown>> {
  const { data, databaseUrl, s3 } = request;
  const location = {
    data: data || "./.innkeep",
    databaseUrl: databaseUrl || undefined,
    s3: s3Of({
      INNKEEP_S3_URL: s3?.url,
      AWS_ACCESS_KEY_ID: s3?.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3?.secretAccessKey,
    }),
  };
  return run(request, location).catch((error) => {
    throw storeFault(error);
  });
}

function run(
  request: AdminCommand & AdminEnvironment,
  location: DataLocation,
): Promise<Record<string, unknown>> {
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
    case "token rotate":
      return withDatabase(location, "update", (database) => rotateOwnersToken(database, request));
    case "token revoke":
      return withDatabase(location, "update", (database) => revokeToken(database, request));
    default:
      return runOnAll(request, location);
  }
}

type OnAccounts = `${"user" | "app" | "key" | "token" | "member"} ${string}`;

/** The commands that work on the whole deployment. */
function runOnAll(
  request: Exclude<AdminCommand, { readonly command: OnAccounts }>,
  location: DataLocation,
): Promise<Record<string, unknown>> {
  switch (request.command) {
    case "mail check":
      return checkMail(request);
    case "mail test":
      return sendTestMail(request);
    case "files check":
      return checkStore(location);
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
    case "files move":
      return withDatabase(location, "update", (database) => moveFiles(database, location, request.to));
    case "backup":
      return withDatabase(location, "leave", (database) => backUp(database, location, request));
    case "backup drill":
      return withDatabase(location, "leave", readDrill);
    case "backup verify":
      return verify(request);
    case "restore":
      return restore(location, request);
    case "adopt":
      return adopt(location, request);
  }
}
