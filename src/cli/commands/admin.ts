import { type Command, Option } from "commander";
import { choices } from "../choices.ts";
import { usageError } from "../cli-error.ts";
import { canAsk } from "../confirm.ts";
import type { GlobalFlags, Invocation } from "../context.ts";
import { details } from "../details.ts";
import { several } from "../flags.ts";
import { onRun, type Setup } from "../on-run.ts";
import { printOne } from "../output.ts";
import type { AdminCommand, DatabaseChoice } from "../programs.ts";

export function addAdmin(admin: Command, setup: Setup): void {
  addAccounts(admin, setup);
  addCredentials(admin, setup);
  addDatabase(admin, setup);
}

interface UserFlags extends DatabaseChoice {
  readonly email: string;
  readonly passwordStdin?: boolean;
}

function addAccounts(admin: Command, setup: Setup): void {
  const user = onDatabase(group(admin, "user", "Accounts").command("create"))
    .description("Create an account")
    .requiredOption("--email <address>", "with this address one signs in")
    .option("--password-stdin", "read the password from standard input");
  onRun<UserFlags>(user, setup, async (invocation, flags) => {
    const password = await passwordOf(invocation, flags);
    return administer(invocation, flags, { command: "user create", email: flags.email, password });
  });

  const app = onDatabase(group(admin, "app", "Apps").command("create <name>"))
    .description("Create an app, with its first key")
    .requiredOption("--owner <email>", "the account that owns it");
  onRun<DatabaseChoice & { owner: string }, string>(app, setup, (invocation, flags, name) =>
    administer(invocation, flags, { command: "app create", name, owner: flags.owner }),
  );
}

interface KeyFlags extends GlobalFlags, DatabaseChoice {
  readonly label?: string;
  readonly kind?: (typeof choices.keyKinds)[number];
}

interface TokenFlags extends GlobalFlags, DatabaseChoice {
  readonly kind: (typeof choices.tokenKinds)[number];
  readonly owner: string;
  readonly label?: string;
  readonly scope?: readonly string[];
}

function addCredentials(admin: Command, setup: Setup): void {
  const key = onDatabase(group(admin, "key", "App keys").command("create"))
    .description("Make a key for an app; it is shown this once")
    .requiredOption("--app <id>", "the app")
    .option("--label <text>", "what the key is for")
    .addOption(new Option("--kind <kind>", "what the key opens").choices(choices.keyKinds));
  onRun<KeyFlags>(key, setup, (invocation, flags) => {
    const { app: appId = "", label, kind } = flags;
    return administer(invocation, flags, { command: "key create", appId, label, kind });
  });

  const token = onDatabase(group(admin, "token", "Agent and maintainer tokens").command("create"))
    .description("Make a token for an agent or for scripts; it is shown this once")
    .addOption(new Option("--kind <kind>", "for whom").choices(choices.tokenKinds).makeOptionMandatory())
    .requiredOption("--owner <email>", "the account that it acts for")
    .option("--label <text>", "what the token is for")
    .option("--scope <scope>", `${choices.scopes.join(", ")}; several times`, several)
    .option("--app <id>", "only this app");
  onRun<TokenFlags>(token, setup, (invocation, flags) => {
    const { kind, owner, label, scope: scopes, app: appId } = flags;
    return administer(invocation, flags, { command: "token create", kind, owner, label, scopes, appId });
  });
}

function addDatabase(admin: Command, setup: Setup): void {
  const migrate = onDatabase(admin.command("migrate").description("Bring the database to this version"));
  onRun<DatabaseChoice>(migrate, setup, (invocation, flags) =>
    administer(invocation, flags, { command: "migrate" }),
  );

  const check = onDatabase(admin.command("check").description("Check the database and the files"));
  onRun<DatabaseChoice>(check, setup, (invocation, flags) =>
    administer(invocation, flags, { command: "check" }),
  );

  const backup = onDatabase(
    admin.command("backup <file>").description("Copy the database and the files into one file"),
  );
  onRun<DatabaseChoice, string>(backup, setup, (invocation, flags, file) =>
    administer(invocation, flags, { command: "backup", file }),
  );

  const restore = onDatabase(
    admin.command("restore <file>").description("Put a backup in place, once it is verified"),
  );
  onRun<DatabaseChoice, string>(restore, setup, (invocation, flags, file) =>
    administer(invocation, flags, { command: "restore", file }),
  );
}

const group = (admin: Command, name: string, summary: string): Command =>
  admin.command(name).description(summary).helpCommand(false);

const onDatabase = (command: Command): Command =>
  command
    .option("--data <folder>", "folder of the database and the files (INNKEEP_DATA)")
    .option("--database-url <url>", "PostgreSQL instead of a file (INNKEEP_DATABASE_URL)");

async function administer(
  invocation: Invocation,
  flags: DatabaseChoice,
  command: AdminCommand,
): Promise<undefined> {
  const { env, programs } = invocation.context;
  const result = await programs.admin({
    ...command,
    data: flags.data ?? env.INNKEEP_DATA,
    databaseUrl: flags.databaseUrl ?? env.INNKEEP_DATABASE_URL,
  });
  printOne(invocation, result, () => details(textsOf(result)));
}

async function passwordOf(invocation: Invocation, { passwordStdin }: UserFlags): Promise<string> {
  const { io } = invocation.context;
  if (passwordStdin) return (await io.stdin.text()).replace(/\r?\n$/, "");
  if (!canAsk(invocation))
    throw usageError("The account needs a password.", "Pipe it in with --password-stdin.");
  return io.ask("Password: ", { hidden: true });
}

const textsOf = (result: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(result).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
