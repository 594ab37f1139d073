import type { Command } from "commander";
import type { DatabaseChoice } from "../programs.ts";
import { addBackups } from "./backups.ts";
import { administer, group, onDatabase } from "./core/administer.ts";
import { usageError } from "./core/cli-error.ts";
import { commandAction, type Setup } from "./core/command.ts";
import { canAsk, confirm } from "./core/confirm.ts";
import type { Invocation } from "./core/context.ts";
import { addCredentials } from "./credentials.ts";
import { addFiles } from "./files.ts";
import { addMail } from "./mail.ts";
import { addMembers } from "./members.ts";

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
  commandAction<UserFlags>(create, setup, async (invocation, flags) => {
    const password = await passwordOf(invocation, flags);
    return administer(invocation, flags, { command: "user create", email: flags.email, password });
  });

  const replace = withPassword(
    user.command("password").description("Give an account a new password, and end its console sessions"),
  );
  commandAction<UserFlags>(replace, setup, async (invocation, flags) => {
    const password = await passwordOf(invocation, flags);
    return administer(invocation, flags, { command: "user password", email: flags.email, password });
  });

  const remove = onDatabase(user.command("remove-second-factor"))
    .description("Turn off the second factor of a person who has lost it")
    .requiredOption("--email <address>", "the address for signing in");
  commandAction<UserFlags>(remove, setup, (invocation, { email, ...flags }) =>
    administer(invocation, flags, { command: "user remove-second-factor", email }),
  );

  const erase = onDatabase(user.command("erase"))
    .description("Erase a person in all apps, and the account with the address if there is one")
    .requiredOption("--email <address>", "the address of the person")
    .option("-y, --yes", "do not ask");
  commandAction<UserFlags>(erase, setup, async (invocation, { email, ...flags }) => {
    await confirm(invocation, `Erase ${email} in all apps, with the account? This cannot be undone.`);
    return administer(invocation, flags, { command: "user erase", email });
  });

  const app = onDatabase(group(admin, "app", "Apps").command("create <name>"))
    .description("Create an app, with its first key")
    .requiredOption("--owner <email>", "the account that owns it");
  commandAction<DatabaseChoice & { owner: string }, string>(app, setup, (invocation, flags, name) =>
    administer(invocation, flags, { command: "app create", name, owner: flags.owner }),
  );
}

const withPassword = (command: Command): Command =>
  onDatabase(command)
    .requiredOption("--email <address>", "the address for signing in")
    .option("--password-stdin", "read the password from standard input");

function addDatabase(admin: Command, setup: Setup): void {
  const migrate = onDatabase(admin.command("migrate").description("Bring the database to this version"));
  commandAction<DatabaseChoice>(migrate, setup, (invocation, flags) =>
    administer(invocation, flags, { command: "migrate" }),
  );

  const check = onDatabase(admin.command("check").description("Check the database and the files"));
  commandAction<DatabaseChoice>(check, setup, (invocation, flags) =>
    administer(invocation, flags, { command: "check" }),
  );

  const repair = onDatabase(
    admin
      .command("repair")
      .description("Remove references to missing or damaged files, and files without references"),
  );
  commandAction<DatabaseChoice>(repair, setup, (invocation, flags) =>
    administer(invocation, flags, { command: "repair" }),
  );

  const reset = onDatabase(group(admin, "secret", "The server's secret").command("reset"))
    .description(
      "Drop all test keys, chat addresses and keys of authenticator apps, because the secret is lost",
    )
    .option("-y, --yes", "do not ask");
  commandAction<DatabaseChoice>(reset, setup, async (invocation, flags) => {
    await confirm(
      invocation,
      "Drop the test keys of all slots, the chat addresses of all apps and the keys of authenticator apps?",
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
