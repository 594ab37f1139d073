import { type CredentialKind, credentialKinds } from "../../../client/credential-kinds.ts";
import { CliError } from "../failures/cli-error.ts";
import type { FoundCredential } from "../program/context.ts";

const known = [
  ...Object.values(credentialKinds),
  { name: "test key", prefix: "stk_", variable: "INNKEEP_TEST_KEY" },
];

/**
 * Says in a sentence which other kind of credential this is, by its prefix; undefined if it may be the right kind.
 */
export function wrongKindMessage(
  { secret, source }: FoundCredential,
  kind: CredentialKind,
): string | undefined {
  const wanted = credentialKinds[kind];
  const other = known.find(({ prefix }) => prefix !== wanted.prefix && secret.startsWith(prefix));
  if (!other) return undefined;
  return `${source} holds ${a(other.name)} (${other.prefix}), not ${a(wanted.name)} (${wanted.prefix}).`;
}

/** Throws a CliError if a credential is of another kind, because the server would only say that it is invalid. */
export function assertCredentialKind(found: FoundCredential, kind: CredentialKind): void {
  const message = wrongKindMessage(found, kind);
  if (message === undefined) return;
  const { variable, command } = credentialKinds[kind];
  throw new CliError({
    exit: "authentication",
    code: "wrong_credential",
    message,
    next: `Set ${variable} to the right one, or store it with \`${command}\`.`,
  });
}

const a = (name: string): string => `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
