import type { Command } from "commander";
import { type CredentialKind, credentialKinds } from "../../client/credential-kinds.ts";
import { clientOf, type Sender } from "../../client/send.ts";
import { stateFolder } from "../../credentials/folders.ts";
import type { Exit } from "./cli-error.ts";
import { connect } from "./connection.ts";
import type { Context, FoundCredential, GlobalFlags, Invocation } from "./context.ts";
import { assertCredentialKind, findCredential, isOfOtherServer, notSent, serverOf } from "./credentials.ts";
import { note } from "./output.ts";

/** The result of a command: an exit of this program, or the exit code of another program that the command ran. */
export type Ending = Exit | { readonly code: number };

/** What a group of commands needs: the context, and the object in which each command stores its exit. */
export interface Setup {
  readonly context: Context;
  readonly outcome: { exit: Ending };
  /** True for commands of a tester. They use the server of the last sign-in by default. */
  readonly asTester?: boolean;
}

export const forTester = (setup: Setup): Setup => ({ ...setup, asTester: true });

/**
 * Sets the action of a command. `flags` contains the command's own flags and the global flags. `argument` is the first
 * positional argument; a variadic argument is an array. The exit is `ok` unless the action returns another exit or
 * throws.
 */
export function commandAction<Flags extends object, Argument = undefined>(
  command: Command,
  { context, outcome, asTester }: Setup,
  run: (
    invocation: Invocation,
    flags: Flags & GlobalFlags,
    argument: Argument,
  ) => Promise<Ending | undefined>,
): void {
  command.action(async () => {
    const flags = command.optsWithGlobals<Flags & GlobalFlags>();
    const [argument] = command.processedArgs;
    outcome.exit = (await run(startInvocation(context, flags, asTester), flags, argument)) ?? "ok";
  });
}

/** Creates the invocation of a command. Commands of a tester use the server of the last sign-in by default. */
export function startInvocation(context: Context, flags: GlobalFlags, asTester = false): Invocation {
  const found = new Map<CredentialKind, Promise<FoundCredential | undefined>>();
  let sender: Sender | undefined;
  const invocation: Invocation = {
    context,
    flags,
    get stateFolder() {
      return stateFolder(context);
    },
    server: () => serverOf(context, flags, asTester),
    baseUrl: () => invocation.server().address,
    sender() {
      sender ??= connect(invocation);
      return sender;
    },
    client: () => clientOf(invocation.sender()),
    credential(kind) {
      const known = found.get(kind) ?? ownCredential(invocation, kind);
      found.set(kind, known);
      return known;
    },
  };
  return invocation;
}

/**
 * Returns the credential that a command sends to its server. Undefined if there is none. Throws a CliError if the
 * credential is of another kind, or if it comes from a flag or a variable but only a project file names the server.
 * Prints a note if it ignores the variable and uses the stored credential.
 */
export async function ownCredential(
  invocation: Invocation,
  kind: CredentialKind,
): Promise<FoundCredential | undefined> {
  const { context, flags } = invocation;
  const server = invocation.server();
  const found = await findCredential(context, flags, { server, kind });
  if (!found) return undefined;
  assertCredentialKind(found, kind);
  const { name, variable } = credentialKinds[kind];
  if (!found.isGiven && isOfOtherServer(context, server, variable))
    note(invocation, `${notSent(variable, server)} The stored ${name} is used.`);
  return found;
}
