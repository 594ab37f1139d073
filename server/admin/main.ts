import { badRequest } from "../../src/contract/errors.ts";
import type { AdminCommand, AdminEnvironment, AdminRequest, MailChoice } from "../../src/programs.ts";
import { backUp } from "../backup/backup.ts";
import { adopt, restore } from "../backup/restore.ts";
import { verify } from "../backup/verify.ts";
import { explainFullDisk } from "../database/full-disk.ts";
import { migrations } from "../database/migrations.ts";
import { FilesUnavailable } from "../files/files.ts";
import { isMailAddress } from "../mail/address.ts";
import type { Mailer } from "../mail/outgoing/smtp.lazy.ts";
import { mailOutOf, s3Of } from "../settings/read-settings.ts";
import { type DataLocation, type MailOut, SettingError } from "../settings/settings.ts";
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
import { checkAll, checkStore, readNightly, repair } from "./check.ts";
import { resetSecret, withDatabase } from "./data-location.ts";
import { eraseUser } from "./erase.ts";
import { importOwned } from "./import.ts";
import { moveFiles } from "./move-files.ts";

export type { AdminCommand } from "../../src/programs.ts";

/**
 * Runs an admin command. Returns what `--json` prints. Throws an error with a message for the operator.
 * (rule O5)
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
  return run(request, location).catch(async (error) => {
    const cause = error instanceof FilesUnavailable ? error.cause : error;
    const explained = await explainFullDisk(cause, location.data);
    throw explained === cause ? storeFault(error) : explained;
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

/** Runs a command that works on the whole deployment. */
function runOnAll(
  request: Exclude<AdminCommand, { readonly command: OnAccounts }> & AdminEnvironment,
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
        ...(await checkAll(database, location, request)),
      }));
    case "repair":
      return withDatabase(location, "update", (database) => repair(database, location));
    case "secret reset":
      return withDatabase(location, "update", (database) => resetSecret(database, location));
    case "files move":
      return withDatabase(location, "update", (database) => moveFiles(database, location, request.to));
    case "backup":
      return withDatabase(location, "leave", (database) => backUp(database, location, request));
    case "backup nightly":
      return withDatabase(location, "leave", readNightly);
    case "backup verify":
      return verify(request);
    case "restore":
      return restore(location, request);
    case "adopt":
      return adopt(location, request);
  }
}

const timeoutMilliseconds = 60_000;

/**
 * Checks that the mail server accepts mail from this server. Sends nothing. Throws an Error that describes the problem.
 */
const checkMail = (choice: MailChoice) =>
  withMailer(choice, async (mailer, mailOut) => {
    const fault = await mailer.fault();
    if (fault !== undefined) throw new Error(`${fault}.`);
    return { server: serverOf(mailOut), from: mailOut.from.address };
  });

/** Sends one test mail. Throws an Error with the reason if the mail server refuses the mail. */
const sendTestMail = (choice: MailChoice & { readonly to: string }) =>
  withMailer(choice, async (mailer, mailOut) => {
    const { to } = choice;
    if (!isMailAddress(to)) throw badRequest("to", "must be an address such as ada@example.org");
    const messageId = `<test.${crypto.randomUUID()}@${mailOut.from.address.split("@").at(-1)}>`;
    const none = { replyTo: null, thread: null, unsubscribeUrl: null, automatic: false };
    const text = "This server can send mail. Its operator sent you this mail as a test.\n";
    const mail = { to, fromName: mailOut.from.name, subject: "A test of Innkeep", text, messageId, ...none };
    const sending = await mailer.send(mail, AbortSignal.timeout(timeoutMilliseconds));
    if (sending.outcome !== "sent") throw new Error(`${sending.reason}.`);
    return { sent: to, server: serverOf(mailOut), from: mailOut.from.address, messageId };
  });

const serverOf = ({ host, port }: MailOut): string => `${host}:${port}`;

async function withMailer<Result>(
  { smtpUrl, mailFrom }: MailChoice,
  work: (mailer: Mailer, mailOut: MailOut) => Promise<Result>,
): Promise<Result> {
  const mailOut = mailOutOf({ INNKEEP_SMTP_URL: smtpUrl, INNKEEP_MAIL_FROM: mailFrom });
  if (mailOut === undefined)
    throw new SettingError(
      "INNKEEP_SMTP_URL must be set, for example to smtps://user:password@smtp.example.com.",
    );
  const { createMailer } = await import("../mail/outgoing/smtp.lazy.ts");
  const mailer = createMailer(mailOut, 1);
  try {
    return await work(mailer, mailOut);
  } finally {
    mailer.close();
  }
}
