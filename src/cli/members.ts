import { type Command, Option } from "commander";
import { type Role, roles } from "../contract/endpoint.ts";
import type { DatabaseChoice } from "../programs.ts";
import { administer, group, onDatabase, runOnDatabase } from "./core/administer.ts";
import { commandAction, type Setup } from "./core/command.ts";
import { confirm } from "./core/confirm.ts";
import type { GlobalFlags } from "./core/context.ts";
import { fieldOf } from "./core/fields.ts";
import { type Column, printList } from "./core/output.ts";

interface MemberFlags extends Omit<GlobalFlags, "app">, DatabaseChoice {
  readonly app: string;
  readonly email: string;
}

interface RoleFlags extends MemberFlags {
  readonly role: Role;
}

/** `admin member`: who works on an app. People do the same in the console; no token can. */
export function addMembers(admin: Command, setup: Setup): void {
  const member = group(admin, "member", "The members of an app");
  const list = ofApp(member.command("list").alias("ls")).description("List the members of an app");
  commandAction<MemberFlags>(list, setup, async (invocation, flags) => {
    const { items } = await runOnDatabase(invocation, flags, { command: "member list", appId: flags.app });
    printList(invocation, { items: Array.isArray(items) ? items : [], columns });
  });

  const add = withRole(ofPerson(member.command("add"))).description(
    "Make an account a member of an app, without an invitation",
  );
  commandAction<RoleFlags>(add, setup, (invocation, { app: appId, email, role, ...flags }) =>
    administer(invocation, flags, { command: "member add", appId, email, role }),
  );

  const role = withRole(ofPerson(member.command("role"))).description("Give a member another role");
  commandAction<RoleFlags>(role, setup, (invocation, { app: appId, email, role: wanted, ...flags }) =>
    administer(invocation, flags, { command: "member role", appId, email, role: wanted }),
  );

  const remove = ofPerson(member.command("remove").alias("rm"))
    .description("Remove a member, with the tokens for this app")
    .option("-y, --yes", "do not ask");
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

const column = (heading: string, field: string): Column<unknown> => ({
  heading,
  of: (row) => fieldOf(row, field),
});
const columns = [column("e-mail", "email"), column("role", "role"), column("since", "createdAt")];
