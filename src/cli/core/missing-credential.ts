import { type CredentialKind, credentialKinds } from "../../client/credential-kinds.ts";
import { MissingCredentialError } from "../../client/errors.ts";
import { CliError } from "./cli-error.ts";
import type { Invocation } from "./context.ts";
import { isOfOtherServer, notSent, openStore } from "./credentials.ts";

/** The error for a missing credential. It names the server, and other servers for which one is stored. */
export function missingCredential(invocation: Invocation, kind: CredentialKind): CliError {
  const { message } = new MissingCredentialError(kind);
  const server = invocation.server();
  const { address, from } = server;
  const others = storedElsewhere(invocation, kind, new URL(address).origin);
  const hint = others.length === 0 ? "" : ` One is stored for ${others.join(", ")}: name it with --base-url.`;
  const { variable } = credentialKinds[kind];
  const unsent = isOfOtherServer(invocation.context, server, variable) ? ` ${notSent(variable, server)}` : "";
  const next = `The server is ${address} (${from}).${unsent}${hint}`;
  return new CliError({ exit: "authentication", code: "missing_credential", message, next });
}

const storedElsewhere = ({ context }: Invocation, kind: CredentialKind, origin: string): string[] =>
  Object.entries(openStore(context).index()).flatMap(([server, kinds]) =>
    server !== origin && kinds[kind] ? [server] : [],
  );
