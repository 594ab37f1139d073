import { type CredentialKind, credentialKinds } from "../../client/credential-kinds.ts";
import type { FoundCredential, Invocation } from "./context.ts";
import { assertCredentialKind, findCredential, isOfOtherServer, notSent } from "./credentials.ts";
import { note } from "./output.ts";

/**
 * The credential of a command for its own server; undefined if there is none. Throws a CliError if it is of another kind.
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
