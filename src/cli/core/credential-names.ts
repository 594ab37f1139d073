import { InvalidArgumentError } from "commander";
import { type CredentialKind, credentialKinds } from "../../client/credential-kinds.ts";

/** The name of a credential on the command line: the last word of `innkeep auth set …`. */
export const wordOf = (kind: CredentialKind): string =>
  credentialKinds[kind].command.split(" ").at(-1) ?? kind;

export const allKinds: readonly CredentialKind[] = ["appKey", "agentToken", "deviceToken", "maintainerToken"];

/** The names of all kinds, for help and messages. */
export const kindWords: string = allKinds.map(wordOf).join(", ");

/** The kind with this name. */
export function kindOf(word: string): CredentialKind {
  const kind = allKinds.find((one) => wordOf(one) === word);
  if (kind) return kind;
  throw new InvalidArgumentError(`It is one of ${kindWords}.`);
}
