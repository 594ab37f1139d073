import { type Command, Option } from "commander";
import { type Role, roles } from "../contract/endpoint.ts";
import type { AdminCommand, DatabaseChoice } from "../programs.ts";
import { administer, group, onDatabase, runOnDatabase } from "./core/administer.ts";
import { choices } from "./core/choices.ts";
import { usageError } from "./core/cli-error.ts";
import { addExamples, commandAction, instantOf, type Setup, several } from "./core/command.ts";
import type { GlobalFlags, Invocation } from "./core/context.ts";
import { copiesByLitestream } from "./core/failures.ts";
import { canAsk, confirm } from "./core/input.ts";
import { type Column, fieldOf, printList } from "./core/output.ts";

export function addAdmin(admin: Command, setup: Setup): void {
  addAccounts(admin, setup);
  addMembers(admin, setup);
  addCredentials(admin, setup);
  addMail(admin, setup);
  addFiles(admin, setup);
  addDatabase(admin, setup);
  addBackups(admin, setup);
}

interface UserFlags extends DatabaseChoice {
  readonly email: string;
  readonly passwordStdin?: boolean;
}

function addAccounts(admin: Command, setup: Setup): void {
  const user = group(admin, "user", "Accounts");
  const create = withPassword(user.command("create").description("Create an account"));
  addExamples(create, "innkeep admin user create --email ada@example.org --password-stdin < password.txt");
  commandAction<UserFlags>(create, setup, async (invocation, flags) => {
    const password = await passwordOf(invocation, flags);
    return administer(invocation, flags, { command: "user create", email: flags.email, password });
  });

  const replace = withPassword(
    user.command("password").description("Replace the password of an account, and end its console sessions"),
  );
  addExamples(replace, "innkeep admin user password --email ada@example.org --password-stdin < password.txt");
  commandAction<UserFlags>(replace, setup, async (invocation, flags) => {
    const password = await passwordOf(invocation, flags);
    return administer(invocation, flags, { command: "user password", email: flags.email, password });
  });

  const remove = onDatabase(user.command("remove-second-factor"))
    .description("Turn off the second factor of a person who has lost it")
    .requiredOption("--email <address>", "the address for signing in");
  addExamples(remove, "innkeep admin user remove-second-factor --email ada@example.org");
  commandAction<UserFlags>(remove, setup, (invocation, { email, ...flags }) =>
    administer(invocation, flags, { command: "user remove-second-factor", email }),
  );

  const erase = onDatabase(user.command("erase"))
    .description("Erase a person in all apps, and delete the person's account if there is one")
    .requiredOption("--email <address>", "the address of the person")
    .option("-y, --yes", "do not ask");
  addExamples(erase, "innkeep admin user erase --email grace@example.org --yes");
  commandAction<UserFlags>(erase, setup, async (invocation, { email, ...flags }) => {
    await confirm(invocation, `Erase ${email} in all apps, and delete the account? This cannot be undone.`);
    return administer(invocation, flags, { command: "user erase", email });
  });

  const app = onDatabase(group(admin, "app", "Apps").command("create <name>"))
    .description("Create an app, with its first key")
    .requiredOption("--owner <email>", "the account that owns it");
  addExamples(app, "innkeep admin app create Larder --owner ada@example.org");
  commandAction<DatabaseChoice & { owner: string }, string>(app, setup, (invocation, flags, name) =>
    administer(invocation, flags, { command: "app create", name, owner: flags.owner }),
  );
}

const withPassword = (command: Command): Command =>
  onDatabase(command)
    .requiredOption("--email <address>", "the address for signing in")
    .option("--password-stdin", "read the password from standard input");

function addDatabase(admin: Command, setup: Setup): void {
  const migrate = onDatabase(
    admin.command("migrate").description("Update the schema of the database to this version"),
  );
  addExamples(migrate, "innkeep admin migrate --data /srv/innkeep");
  commandAction<DatabaseChoice>(migrate, setup, (invocation, flags) =>
    administer(invocation, flags, { command: "migrate" }),
  );

  const check = onDatabase(admin.command("check").description("Check the database and the files"));
  addExamples(check, "innkeep admin check --data /srv/innkeep");
  commandAction<DatabaseChoice>(check, setup, (invocation, flags) =>
    administer(invocation, flags, { command: "check" }),
  );

  const repair = onDatabase(
    admin
      .command("repair")
      .description("Remove references to missing or damaged files, and files without references"),
  );
  addExamples(repair, "innkeep admin repair --data /srv/innkeep");
  commandAction<DatabaseChoice>(repair, setup, (invocation, flags) =>
    administer(invocation, flags, { command: "repair" }),
  );

  const reset = onDatabase(group(admin, "secret", "The server's secret").command("reset"))
    .description(
      "Delete all data that a lost secret encrypted: test keys, chat addresses and keys of authenticator apps",
    )
    .option("-y, --yes", "do not ask");
  addExamples(reset, "innkeep admin secret reset --data /srv/innkeep --yes");
  commandAction<DatabaseChoice>(reset, setup, async (invocation, flags) => {
    await confirm(
      invocation,
      "Delete the test keys of all slots, the chat addresses of all apps and the keys of authenticator apps?",
    );
    return administer(invocation, flags, { command: "secret reset" });
  });
}

async function passwordOf(invocation: Invocation, { passwordStdin }: UserFlags): Promise<string> {
  const { io } = invocation.context;
  if (passwordStdin) return (await io.stdin.text()).replace(/\r?\n$/, "");
  if (!canAsk(invocation))
    throw usageError("The account needs a password.", "Pipe it in with --password-stdin.");
  return io.ask("Password: ", { hidden: true });
}

interface BackupFlags extends DatabaseChoice {
  readonly recipient?: string;
  readonly prove?: boolean;
  readonly verify?: boolean;
  readonly identity?: string;
  readonly scratch?: string;
}

interface RestoreFlags extends DatabaseChoice {
  readonly from?: string;
  readonly at?: string;
  readonly erasures?: string;
  readonly identity?: string;
}

interface AdoptFlags extends DatabaseChoice {
  readonly erasures?: string;
}

function addBackups(admin: Command, setup: Setup): void {
  const backup = onDatabase(
    admin
      .command("backup <file>")
      .description("Copy the database and the files into one backup file, or verify a backup file"),
  )
    .option("--prove", "verify the new backup before the file gets its final name")
    .option(
      "--recipient <keys>",
      "encrypt the backup for these public keys of the tool `age` (INNKEEP_BACKUP_RECIPIENT)",
    )
    .option("--verify", "verify an existing backup FILE instead of creating one")
    .option("--identity <file>", `with --verify: ${identityMeaning}`)
    .option(
      "--scratch <folder>",
      "folder in which a backup is restored to verify it (INNKEEP_BACKUP_SCRATCH)",
    );
  addExamples(
    backup,
    "innkeep admin backup /backups/innkeep-monday.tar --data /srv/innkeep --prove",
    "innkeep admin backup /backups/innkeep-monday.tar.age --data /srv/innkeep --recipient age1…",
    "innkeep admin backup --verify /backups/innkeep-monday.tar.age --identity ~/innkeep-key.txt",
  );
  commandAction<BackupFlags, string>(backup, setup, (invocation, flags, file) => {
    const { recipient, prove, verify, identity, scratch, ...place } = flags;
    const { env } = invocation.context;
    const choice = { file, scratch: scratch ?? env.INNKEEP_BACKUP_SCRATCH };
    if (!verify) {
      if (identity !== undefined)
        throw usageError(
          "--identity is only for reading a backup.",
          "Add --verify, or leave --identity out.",
        );
      // An empty variable in a script must not lead to a backup that everybody can read.
      if (recipient?.trim() === "")
        throw usageError(
          "--recipient is empty.",
          "Give a public key of the tool `age`, or leave --recipient out.",
        );
      const keys = recipient ?? env.INNKEEP_BACKUP_RECIPIENT;
      return administer(invocation, place, { command: "backup", ...choice, prove, recipient: keys });
    }
    if (prove || recipient !== undefined)
      throw usageError("--verify creates no backup.", "Leave out --prove and --recipient.");
    const keys = identity ?? env.INNKEEP_BACKUP_IDENTITY_FILE;
    return administer(invocation, place, { command: "backup verify", ...choice, identity: keys });
  });

  addRestore(admin, setup);
  addAdopt(admin, setup);
}

function addRestore(admin: Command, setup: Setup): void {
  const restore = onDatabase(
    admin.command("restore [file]").description("Restore a backup after verifying it"),
  )
    .option("--erasures <journal>", erasuresMeaning)
    .option("--identity <file>", identityMeaning)
    .addOption(new Option("--from <place>").hideHelp())
    .addOption(new Option("--at <instant>").hideHelp());
  addExamples(
    restore,
    "innkeep admin restore /backups/innkeep-monday.tar --data /srv/innkeep-new",
    "innkeep admin restore /backups/innkeep-monday.tar --data /srv/innkeep-new --erasures /mnt/other/erasures.ndjson",
  );
  commandAction<RestoreFlags, string | undefined>(restore, setup, (invocation, flags, file) => {
    const { erasures, identity: given, from, at, ...choice } = flags;
    if (from !== undefined || at !== undefined)
      throw usageError("--from and --at do not exist any more.", copiesByLitestream);
    if (file === undefined) throw usageError("There is nothing to restore.", "Name the FILE of a backup.");
    const identity = given ?? invocation.context.env.INNKEEP_BACKUP_IDENTITY_FILE;
    return administer(invocation, choice, { command: "restore", file, erasures, identity });
  });
}

function addAdopt(admin: Command, setup: Setup): void {
  const adopt = onDatabase(
    admin
      .command("adopt")
      .description("Prepare a database for use after Litestream or PostgreSQL has restored it"),
  )
    .option("--erasures <journal>", erasuresMeaning)
    .option("-y, --yes", "do not ask");
  addExamples(
    adopt,
    "innkeep admin adopt --data /srv/innkeep-new --yes",
    "innkeep admin adopt --data /srv/innkeep-new --erasures /mnt/copies/erasures.ndjson --yes",
  );
  commandAction<AdoptFlags>(adopt, setup, async (invocation, { erasures, ...choice }) => {
    await confirm(
      invocation,
      "End all sessions, codes and links of this database, and erase the people in the journal again?",
    );
    return administer(invocation, choice, { command: "adopt", erasures });
  });
}

const erasuresMeaning =
  "a journal of erased people, who are erased again in this database (INNKEEP_ERASURES)";

const identityMeaning =
  "a file with secret keys of the tool `age` that decrypt the backup (INNKEEP_BACKUP_IDENTITY_FILE)";

function addCredentials(admin: Command, setup: Setup): void {
  addKeys(group(admin, "key", "App keys"), setup);
  addTokens(group(admin, "token", "Agent and maintainer tokens"), setup);
}

interface KeyFlags extends GlobalFlags, DatabaseChoice {
  readonly label?: string;
  readonly kind?: (typeof choices.keyKinds)[number];
}

interface ChosenFlags extends GlobalFlags, DatabaseChoice {
  readonly owner?: string;
}

function addKeys(key: Command, setup: Setup): void {
  const create = onDatabase(key.command("create"))
    .description("Create a key for an app; it is shown only once")
    .requiredOption("--app <id>", "the app")
    .option("--label <text>", "what the key is for")
    .addOption(new Option("--kind <kind>", "what the key may do").choices(choices.keyKinds));
  addExamples(
    create,
    "innkeep admin key create --app 01a1fda3-dcee-7447-b6de-42c8c3c82f1d --label iOS --kind intake",
  );
  commandAction<KeyFlags>(create, setup, (invocation, flags) => {
    const { app: appId = "", label, kind } = flags;
    return administer(invocation, flags, { command: "key create", appId, label, kind });
  });

  const list = onDatabase(key.command("list").alias("ls"))
    .description("List the keys of all apps, without their secrets")
    .option("--app <id>", "only keys of this app")
    .option("--owner <email>", "only keys of the apps that this account owns");
  addExamples(list, "innkeep admin key list --owner ada@example.org");
  commandAction<ChosenFlags>(list, setup, (invocation, flags) =>
    printItems(invocation, flags, { command: "key list", appId: flags.app, owner: flags.owner }),
  );

  addRevoke(key, setup, "key");
}

interface TokenFlags extends GlobalFlags, DatabaseChoice {
  readonly kind: (typeof choices.tokenKinds)[number];
  readonly owner: string;
  readonly label?: string;
  readonly scope?: readonly string[];
  readonly expires?: string;
}

interface RotateFlags extends GlobalFlags, DatabaseChoice {
  readonly grace?: string;
}

function addTokens(token: Command, setup: Setup): void {
  const create = onDatabase(token.command("create"))
    .description("Create a token for an agent or for scripts; it is shown only once")
    .addOption(
      new Option("--kind <kind>", "who uses the token").choices(choices.tokenKinds).makeOptionMandatory(),
    )
    .requiredOption("--owner <email>", "the account that the token acts for")
    .option("--label <text>", "what the token is for")
    .option("--scope <scope>", `${choices.scopes.join(", ")}; repeatable`, several)
    .option("--app <id>", "limit the token to this app")
    .option("--expires <instant>", "when the token expires: ISO 8601, or a day in UTC; default: never");
  addExamples(
    create,
    "innkeep admin token create --kind agent --owner ada@example.org --scope runs:work --expires 2027-01-31",
    "innkeep admin token create --kind agent --owner ada@example.org",
    "innkeep admin token create --kind maintainer --owner ada@example.org --scope changelog:write --scope apps:read",
  );
  commandAction<TokenFlags>(create, setup, (invocation, flags) => {
    const { kind, owner, label, scope: scopes, app: appId } = flags;
    const expiresAt = instantOf("--expires", flags.expires);
    const command = { command: "token create", kind, owner, label, scopes, appId, expiresAt } as const;
    return administer(invocation, flags, command);
  });

  const rotate = onDatabase(token.command("rotate <id>"))
    .description(
      "Replace the secret of a token, and show the new secret only once; the token keeps its id, rights and work",
    )
    .option("--grace <minutes>", "for how many minutes the old secret stays valid, at most 60; default: 0");
  addExamples(rotate, "innkeep admin token rotate 01a1fda3 --grace 10");
  commandAction<RotateFlags, string>(rotate, setup, (invocation, flags, id) => {
    const graceMinutes = flags.grace === undefined ? undefined : Number(flags.grace);
    return administer(invocation, flags, { command: "token rotate", id, graceMinutes });
  });

  const list = onDatabase(token.command("list").alias("ls"))
    .description("List the tokens of all accounts, without their secrets")
    .option("--owner <email>", "only tokens of this account");
  addExamples(list, "innkeep admin token list --json");
  commandAction<ChosenFlags>(list, setup, (invocation, flags) =>
    printItems(invocation, flags, { command: "token list", owner: flags.owner }),
  );

  addRevoke(token, setup, "token");
}

function addRevoke(parent: Command, setup: Setup, thing: "key" | "token"): void {
  const revoke = onDatabase(parent.command("revoke <id>").alias("rm"))
    .description(`Revoke a ${thing}; it stops working immediately`)
    .option("-y, --yes", "do not ask");
  addExamples(revoke, `innkeep admin ${thing} revoke 01a1fda3 --yes`);
  commandAction<DatabaseChoice, string>(revoke, setup, async (invocation, flags, id) => {
    await confirm(invocation, `Revoke the ${thing} ${id}?`);
    return administer(invocation, flags, { command: `${thing} revoke`, id });
  });
}

async function printItems(
  invocation: Invocation,
  choice: DatabaseChoice,
  command: AdminCommand,
): Promise<undefined> {
  const { items } = await runOnDatabase(invocation, choice, command);
  printList(invocation, {
    items: Array.isArray(items) ? items : [],
    columns: columnsOf[command.command] ?? [],
  });
}

const columnOf = (heading: string, field: string): Column<unknown> => ({
  heading,
  of: (row) => fieldOf(row, field),
});

const commonColumns = [
  columnOf("prefix", "prefix"),
  columnOf("last used", "lastUsedAt"),
  columnOf("label", "label"),
];

const columnsOf: Readonly<Record<string, readonly Column<unknown>[]>> = {
  "key list": [
    columnOf("id", "id"),
    columnOf("kind", "kind"),
    columnOf("app", "app"),
    columnOf("owner", "owner"),
    ...commonColumns,
  ],
  "token list": [
    columnOf("id", "id"),
    columnOf("kind", "kind"),
    columnOf("owner", "owner"),
    ...commonColumns,
  ],
};

interface MemberFlags extends Omit<GlobalFlags, "app">, DatabaseChoice {
  readonly app: string;
  readonly email: string;
}

interface RoleFlags extends MemberFlags {
  readonly role: Role;
}

/** Adds the commands of `admin member`. An owner can do the same in the console, but no token can. */
function addMembers(admin: Command, setup: Setup): void {
  const member = group(admin, "member", "The members of an app");
  const list = ofApp(member.command("list").alias("ls")).description("List the members of an app");
  addExamples(list, "innkeep admin member list --app 01a1fda3-dcee-7447-b6de-42c8c3c82f1d");
  commandAction<MemberFlags>(list, setup, async (invocation, flags) => {
    const { items } = await runOnDatabase(invocation, flags, { command: "member list", appId: flags.app });
    printList(invocation, { items: Array.isArray(items) ? items : [], columns: memberColumns });
  });

  const add = withRole(ofPerson(member.command("add"))).description(
    "Make an account a member of an app, without an invitation",
  );
  addExamples(
    add,
    "innkeep admin member add --app 01a1fda3-dcee-7447-b6de-42c8c3c82f1d --email ada@example.org --role owner",
  );
  commandAction<RoleFlags>(add, setup, (invocation, { app: appId, email, role, ...flags }) =>
    administer(invocation, flags, { command: "member add", appId, email, role }),
  );

  const role = withRole(ofPerson(member.command("role"))).description("Change the role of a member");
  addExamples(
    role,
    "innkeep admin member role --app 01a1fda3-dcee-7447-b6de-42c8c3c82f1d --email ada@example.org --role viewer",
  );
  commandAction<RoleFlags>(role, setup, (invocation, { app: appId, email, role: wanted, ...flags }) =>
    administer(invocation, flags, { command: "member role", appId, email, role: wanted }),
  );

  const remove = ofPerson(member.command("remove").alias("rm"))
    .description("Remove a member and the member's tokens for this app")
    .option("-y, --yes", "do not ask");
  addExamples(
    remove,
    "innkeep admin member remove --app 01a1fda3-dcee-7447-b6de-42c8c3c82f1d --email ada@example.org --yes",
  );
  commandAction<MemberFlags>(remove, setup, async (invocation, { app: appId, email, ...flags }) => {
    await confirm(invocation, `Remove ${email} from the app ${appId}?`);
    return administer(invocation, flags, { command: "member remove", appId, email });
  });
}

const ofApp = (command: Command): Command => onDatabase(command).requiredOption("--app <id>", "the app");

const ofPerson = (command: Command): Command =>
  ofApp(command).requiredOption("--email <address>", "the address for signing in");

const withRole = (command: Command): Command =>
  command.addOption(
    new Option("--role <role>", "what the person may do").choices(roles).makeOptionMandatory(),
  );

const memberColumns = [columnOf("e-mail", "email"), columnOf("role", "role"), columnOf("since", "createdAt")];

interface MoveFlags extends DatabaseChoice {
  readonly to: "folder" | "s3";
}

function addFiles(admin: Command, setup: Setup): void {
  const move = onDatabase(group(admin, "files", "The uploaded files").command("move"))
    .description("Move all files between the data folder and the store of INNKEEP_S3_URL")
    .addOption(
      new Option("--to <place>", "where to move the files").choices(["s3", "folder"]).makeOptionMandatory(),
    )
    .option("-y, --yes", "do not ask");
  addExamples(move, "innkeep admin files move --to s3 --data /srv/innkeep --yes");
  commandAction<MoveFlags>(move, setup, async (invocation, { to, ...flags }) => {
    await confirm(
      invocation,
      "Move all files, and delete the originals? Stop all servers of this database first.",
    );
    return administer(invocation, flags, { command: "files move", to });
  });
}

function addMail(admin: Command, setup: Setup): void {
  const test = group(admin, "mail", "Mail to people")
    .command("test")
    .description("Send one test mail immediately, with INNKEEP_SMTP_URL and INNKEEP_MAIL_FROM")
    .requiredOption("--to <address>", "who gets the mail");
  addExamples(test, "innkeep admin mail test --to ada@example.org");
  commandAction<{ to: string }>(test, setup, (invocation, { to }) => {
    const { INNKEEP_SMTP_URL: smtpUrl, INNKEEP_MAIL_FROM: mailFrom } = invocation.context.env;
    return administer(invocation, {}, { command: "mail test", to, smtpUrl, mailFrom });
  });
}
