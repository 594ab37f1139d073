import type { Sender } from "../../../client/calls/sender.ts";
import { clientOf } from "../../../client/client.ts";
import type { CredentialKind } from "../../../client/credential-kinds.ts";
import { stateFolder } from "../../../credentials/folders.ts";
import { connect } from "../connection/connect.ts";
import { serverOf } from "../connection/server-address.ts";
import { assertCredentialKind } from "../credentials/credential-kind-check.ts";
import { findCredential } from "../credentials/find-credential.ts";
import type { Context, FoundCredential, GlobalFlags, Invocation } from "./context.ts";

/** Starts a command. A tester's commands go to the server of the last sign-in unless one is named. */
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
      const known = found.get(kind) ?? findOwn(invocation, kind);
      found.set(kind, known);
      return known;
    },
  };
  return invocation;
}

async function findOwn(
  { context, flags, baseUrl }: Invocation,
  kind: CredentialKind,
): Promise<FoundCredential | undefined> {
  const found = await findCredential(context, flags, { origin: new URL(baseUrl()).origin, kind });
  if (found) assertCredentialKind(found, kind);
  return found;
}
