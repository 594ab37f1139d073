import { type CredentialKind, credentialKinds } from "../../../client/credential-kinds.ts";
import { CliError } from "../failures/cli-error.ts";
import type { FoundCredential } from "../program/context.ts";

const known = [
  ...Object.values(credentialKinds),
  { name: "test key", prefix: "stk_", variable: "INNKEEP_TEST_KEY" },
];

/** Which other credential this is by the way it begins, in a sentence; undefined where it may be the right one. */
export function mixUp({ secret, source }: FoundCredential, kind: CredentialKind): string | undefined {
  const wanted = credentialKinds[kind];
  const other = known.find(({ prefix }) => prefix !== wanted.prefix && secret.startsWith(prefix));
  if (!other) return undefined;
  return `${source} holds ${a(other.name)} (${other.prefix}), not ${a(wanted.name)} (${wanted.prefix}).`;
}

/** Throws a CliError where a credential is one of another kind: the server would only call it invalid. */
export function assertCredentialKind(found: FoundCredential, kind: CredentialKind): void {
  const message = mixUp(found, kind);
  if (message === undefined) return;
  const { variable, command } = credentialKinds[kind];
  throw new CliError(
    "authentication",
    "wrong_credential",
    message,
    `Set ${variable} to the right one, or store it with \`${command}\`.`,
  );
}

const a = (name: string): string => `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
