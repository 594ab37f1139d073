import { clientOf } from "../client/client.ts";
import type { CredentialKind } from "../client/credential-kinds.ts";
import type { Sender } from "../client/sender.ts";
import { stateFolder } from "../credentials/folders.ts";
import { connect } from "./connect.ts";
import type { Context, FoundCredential, GlobalFlags, Invocation } from "./context.ts";
import { findCredential } from "./find-credential.ts";
import { serverAddress } from "./server-address.ts";

export function startInvocation(context: Context, flags: GlobalFlags): Invocation {
  const found = new Map<CredentialKind, Promise<FoundCredential | undefined>>();
  let sender: Sender | undefined;
  const invocation: Invocation = {
    context,
    flags,
    get stateFolder() {
      return stateFolder(context);
    },
    baseUrl: () => serverAddress(context, flags),
    sender() {
      sender ??= connect(invocation);
      return sender;
    },
    client: () => clientOf(invocation.sender()),
    credential(kind) {
      const known =
        found.get(kind) ?? findCredential(context, flags, new URL(invocation.baseUrl()).origin, kind);
      found.set(kind, known);
      return known;
    },
  };
  return invocation;
}
