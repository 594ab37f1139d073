import { type Command, Option } from "commander";
import { routes } from "../client/routes.ts";
import type { AppFlags } from "./apps.ts";
import type { AuditFlags } from "./audit.ts";
import { commandAction, type Setup } from "./core/command.ts";
import { ofConsole } from "./core/console-only.ts";
import { destroys, mutates, ofApp, views } from "./core/flags.ts";
import type { RevokeTokenFlags } from "./tokens.ts";

/** `innkeep app`: the settings of your apps. */
export function addApp(app: Command, setup: Setup): void {
  const list = app.command("list").alias("ls").description(routes.apps.list.summary);
  commandAction(list, setup, async (invocation) =>
    ofConsole(invocation, async () => (await import("./apps.ts")).listApps(invocation)),
  );

  const view = app.command("view").alias("show").description(routes.apps.read.summary);
  view.argument("[app]", whichApp);
  commandAction<object, string | undefined>(views(view), setup, async (invocation, _, given) =>
    ofConsole(invocation, async () => (await import("./apps.ts")).viewApp(invocation, given)),
  );

  const edit = mutates(app.command("edit").alias("update").description("Change the settings of an app"))
    .argument("[app]", whichApp)
    .option("--name <name>", "its name")
    .addOption(onOrOff("--feedback-enabled <switch>", "whether it takes feedback"))
    .addOption(onOrOff("--changelog-enabled <switch>", "whether apps can read its release notes"))
    .option(
      "--chat-webhook-url <url>",
      "webhook of a chat that gets a message for each proposal; `-` is standard input, `@file` a file, empty removes it",
    )
    .option("--github-repository <name>", "owner/name of its repository; empty is none")
    .option(
      "--approval-hours <number>",
      "for how many hours an approval is valid unless claimed; empty is without an end",
    )
    .option(
      "--retention-days <number>",
      "for how many days resolved threads are kept after their last activity; empty is without an end",
    );
  commandAction<AppFlags, string | undefined>(edit, setup, async (invocation, flags, given) =>
    ofConsole(invocation, async () => (await import("./apps.ts")).editApp(invocation, flags, given)),
  );
}

const whichApp = "its id, the start of the id, or its name; the app of the command unless given";

const onOrOff = (flags: string, description: string): Option =>
  new Option(flags, description).choices(["on", "off"]);

/** `innkeep key`: app keys. People and `innkeep admin` make them. (rule K12) */
export function addKey(key: Command, setup: Setup): void {
  const list = key
    .command("list")
    .alias("ls")
    .description("List the keys of your apps, without their secrets");
  commandAction(ofApp(list), setup, async (invocation) =>
    ofConsole(invocation, async () => (await import("./keys.ts")).listKeys(invocation)),
  );

  const revoke = key.command("revoke <key>").alias("rm").description(routes.keys.remove.summary);
  commandAction<object, string>(ofApp(destroys(revoke)), setup, async (invocation, _, given) =>
    ofConsole(invocation, async () => (await import("./keys.ts")).revokeKey(invocation, given)),
  );
}

/** `innkeep token`: agent and maintainer tokens. People and `innkeep admin` make them. (rule K12) */
export function addToken(token: Command, setup: Setup): void {
  const list = token.command("list").alias("ls").description(routes.tokens.list.summary);
  commandAction(list, setup, async (invocation) =>
    ofConsole(invocation, async () => (await import("./tokens.ts")).listTokens(invocation)),
  );

  const revoke = destroys(token.command("revoke").alias("rm").description(routes.tokens.remove.summary))
    .argument("[token]", "its id, or the start of the id")
    .option("--self", "the token with which this command is run");
  commandAction<RevokeTokenFlags, string | undefined>(revoke, setup, async (invocation, flags, given) =>
    ofConsole(invocation, async () => (await import("./tokens.ts")).revokeToken(invocation, flags, given)),
  );
}

/** `innkeep audit`: who did what. */
export function addAudit(audit: Command, setup: Setup): void {
  const list = audit.command("list").alias("ls").description(routes.audit.list.summary);
  list
    .option("--app <id>", "only of this app: its id, the start of the id, or its name")
    .option("--action <action>", "only this action, such as key.delete")
    .option("--actor <who>", "only of this e-mail address, of the token with this id, or of `agent`")
    .option("--from <instant>", "only those since then: ISO 8601, or a day in UTC")
    .option("--to <instant>", "only those before then")
    .option("--limit <number>", "how many at most")
    .option("--cursor <cursor>", "continue after the previous page")
    .option("--all", "every page")
    .option("--ndjson", "write each entry as one line of JSON, as soon as it is read");
  commandAction<AuditFlags>(list, setup, async (invocation, flags) =>
    ofConsole(invocation, async () => (await import("./audit.ts")).listAudit(invocation, flags)),
  );
}
