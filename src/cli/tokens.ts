import type { Token } from "../contract/tokens.ts";
import { isId } from "./core/app-id.ts";
import { CliError, usageError } from "./core/cli-error.ts";
import { confirm } from "./core/confirm.ts";
import type { Invocation } from "./core/context.ts";
import { wholeId } from "./core/ids.ts";
import { type Column, note, printList, printOne } from "./core/output.ts";

export interface RevokeTokenFlags {
  /** The token with which the command is run. */
  readonly self?: boolean;
}

/** Lists tokens with the names of the apps that they are limited to. */
export async function listTokens(invocation: Invocation): Promise<undefined> {
  const { apps, tokens } = invocation.client();
  const { items } = await tokens.list();
  const limited = items.some(({ appId }) => appId !== null);
  const names = new Map((limited ? (await apps.list()).items : []).map(({ id, name }) => [id, name]));
  printList(invocation, { items, columns: columnsWith(names) });
}

const columnsWith = (names: ReadonlyMap<string, string>): readonly Column<Token>[] => [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "kind", of: ({ kind }) => kind },
  { heading: "label", of: ({ label }) => label },
  { heading: "app", of: ({ appId }) => (appId === null ? "all" : (names.get(appId) ?? appId)) },
  { heading: "scopes", of: ({ scopes }) => scopes.join(", ") },
  { heading: "prefix", of: ({ prefix }) => prefix },
  { heading: "created", of: ({ createdAt }) => createdAt },
  { heading: "last used", of: ({ lastUsedAt }) => lastUsedAt },
  { heading: "ended", of: ({ ended }) => (ended ? "yes" : "no") },
];

/** Revokes a token of the list, or with `--self` the one with which the command is run. */
export async function revokeToken(
  invocation: Invocation,
  { self }: RevokeTokenFlags,
  given: string | undefined,
): Promise<undefined> {
  if ((given === undefined) === !self) throw usageError("Name one token: its id, or --self.");
  const { id, name } =
    given === undefined ? await ownToken(invocation) : await listedToken(invocation, given);
  await confirm(invocation, `Revoke the token ${name}? Programs that use it are refused from then on.`);
  await invocation.client().tokens.remove({ params: { tokenId: id } });
  note(invocation, `Revoked the token ${name}.`);
  printOne(invocation, { id }, () => id);
}

async function listedToken(invocation: Invocation, given: string) {
  if (isId(given)) return { id: given.toLowerCase(), name: given };
  const { items } = await invocation.client().tokens.list();
  const names = items.map(({ id, label, prefix }) => ({ id, name: `${label} (${prefix}…)` }));
  const id = await wholeId(given, {
    thing: "token",
    command: "innkeep token list",
    list: async () => names,
  });
  return { id, name: names.find((one) => one.id === id)?.name ?? id };
}

async function ownToken(invocation: Invocation) {
  const { tokenId } = await invocation.client().session.me();
  if (tokenId) return { id: tokenId, name: `${tokenId} of this command` };
  throw new CliError({
    exit: "forbidden",
    code: "not_offered",
    message: "This server does not tell a token its id.",
    next: "Revoke the token by its id, or in the console.",
  });
}
