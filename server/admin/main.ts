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

export type AdminCommand =
  | { readonly command: "user create"; readonly email: string; readonly password: string }
  | { readonly command: "user password"; readonly email: string; readonly password: string }
  | { readonly command: "app create"; readonly name: string; readonly owner: string }
  | {
      readonly command: "key create";
      readonly appId: string;
      readonly label?: string | undefined;
      readonly kind?: "full" | "intake" | undefined;
    }
  | {
      readonly command: "token create";
      readonly kind: "agent" | "maintainer";
      readonly owner: string;
      readonly label?: string | undefined;
      readonly scopes?: readonly string[] | undefined;
      readonly appId?: string | undefined;
    }
  | { readonly command: "key list"; readonly owner?: string | undefined; readonly appId?: string | undefined }
  | { readonly command: "key revoke"; readonly id: string }
  | { readonly command: "token list"; readonly owner?: string | undefined }
  | { readonly command: "token revoke"; readonly id: string }
  | { readonly command: "migrate" }
  | { readonly command: "check" }
  | { readonly command: "repair" }
  | { readonly command: "secret reset" }
  | { readonly command: "backup"; readonly file: string }
  | { readonly command: "restore"; readonly file: string };

/** A command of the person who runs the server, and the database that it is for. */
export type AdminRequest = AdminCommand & {
  /** Folder of the SQLite database, the files and the secret. */
  readonly data?: string | undefined;
  /** PostgreSQL instead; the files still lie in the folder. */
  readonly databaseUrl?: string | undefined;
};

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
