import { type Command, Option } from "commander";
import type { AdminCommand, DatabaseChoice } from "../programs.ts";
import { administer, group, onDatabase, runOnDatabase } from "./core/administer.ts";
import { choices } from "./core/choices.ts";
import { commandAction, type Setup } from "./core/command.ts";
import { confirm } from "./core/confirm.ts";
import type { GlobalFlags, Invocation } from "./core/context.ts";
import { fieldOf } from "./core/fields.ts";
import { several } from "./core/flags.ts";
import { instantOf } from "./core/instant.ts";
import { type Column, printList } from "./core/output.ts";

/** `admin key` and `admin token`. */
export function addCredentials(admin: Command, setup: Setup): void {
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
    .description("Make a key for an app; it is shown this once")
    .requiredOption("--app <id>", "the app")
    .option("--label <text>", "what the key is for")
    .addOption(new Option("--kind <kind>", "what the key opens").choices(choices.keyKinds));
  commandAction<KeyFlags>(create, setup, (invocation, flags) => {
    const { app: appId = "", label, kind } = flags;
    return administer(invocation, flags, { command: "key create", appId, label, kind });
  });

  const list = onDatabase(key.command("list").alias("ls"))
    .description("List the keys of all apps, without their secrets")
    .option("--app <id>", "only of this app")
    .option("--owner <email>", "only of this account's apps");
  commandAction<ChosenFlags>(list, setup, (invocation, flags) =>
    printFound(invocation, flags, { command: "key list", appId: flags.app, owner: flags.owner }),
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
    .description("Make a token for an agent or for scripts; it is shown this once")
    .addOption(new Option("--kind <kind>", "who uses it").choices(choices.tokenKinds).makeOptionMandatory())
    .requiredOption("--owner <email>", "the account that it acts for")
    .option("--label <text>", "what the token is for")
    .option("--scope <scope>", `${choices.scopes.join(", ")}; several times`, several)
    .option("--app <id>", "only this app")
    .option("--expires <instant>", "when it stops working: ISO 8601, or a day in UTC; never unless given");
  commandAction<TokenFlags>(create, setup, (invocation, flags) => {
    const { kind, owner, label, scope: scopes, app: appId } = flags;
    const expiresAt = instantOf("--expires", flags.expires);
    const command = { command: "token create", kind, owner, label, scopes, appId, expiresAt } as const;
    return administer(invocation, flags, command);
  });

  const rotate = onDatabase(token.command("rotate <id>"))
    .description("Give a token a new secret, shown this once; its id, its rights and its work stay")
    .option(
      "--grace <minutes>",
      "for how many minutes the old secret stays good, at most 60; 0 unless given",
    );
  commandAction<RotateFlags, string>(rotate, setup, (invocation, flags, id) => {
    const graceMinutes = flags.grace === undefined ? undefined : Number(flags.grace);
    return administer(invocation, flags, { command: "token rotate", id, graceMinutes });
  });

  const list = onDatabase(token.command("list").alias("ls"))
    .description("List the tokens of all accounts, without their secrets")
    .option("--owner <email>", "only of this account");
  commandAction<ChosenFlags>(list, setup, (invocation, flags) =>
    printFound(invocation, flags, { command: "token list", owner: flags.owner }),
  );

  addRevoke(token, setup, "token");
}

function addRevoke(parent: Command, setup: Setup, thing: "key" | "token"): void {
  const revoke = onDatabase(parent.command("revoke <id>").alias("rm"))
    .description(`Revoke a ${thing}; it stops working at once`)
    .option("-y, --yes", "do not ask");
  commandAction<DatabaseChoice, string>(revoke, setup, async (invocation, flags, id) => {
    await confirm(invocation, `Revoke the ${thing} ${id}?`);
    return administer(invocation, flags, { command: `${thing} revoke`, id });
  });
}

async function printFound(
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

const column = (heading: string, field: string): Column<unknown> => ({
  heading,
  of: (row) => fieldOf(row, field),
});

const ofBoth = [column("prefix", "prefix"), column("last used", "lastUsedAt"), column("label", "label")];

const columnsOf: Readonly<Record<string, readonly Column<unknown>[]>> = {
  "key list": [
    column("id", "id"),
    column("kind", "kind"),
    column("app", "app"),
    column("owner", "owner"),
    ...ofBoth,
  ],
  "token list": [column("id", "id"), column("kind", "kind"), column("owner", "owner"), ...ofBoth],
};
