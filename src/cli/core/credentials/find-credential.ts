import { type CredentialKind, credentialKinds } from "../../../client/credential-kinds.ts";
import { configFolder } from "../../../credentials/folders.ts";
import { type CredentialStore, createStore } from "../../../credentials/store.ts";
import { readText } from "../input/text-flag.ts";
import type { Context, FoundCredential, GlobalFlags } from "../program/context.ts";

const fileFlags = {
  appKey: { flag: "--api-key-file", name: "apiKeyFile" },
  agentToken: { flag: "--agent-token-file", name: "agentTokenFile" },
  maintainerToken: { flag: "--token-file", name: "tokenFile" },
  deviceToken: undefined,
} as const satisfies Record<CredentialKind, { flag: string; name: keyof GlobalFlags } | undefined>;

export interface WantedCredential {
  /** Of the server that the credential is for. */
  readonly origin: string;
  readonly kind: CredentialKind;
}

/**
 * Finds a credential, in this order: the file that a flag names, the environment, the store of this machine for
 * this origin. The store is read only if the others have none. Undefined if there is none.
 */
export async function findCredential(
  context: Context,
  flags: GlobalFlags,
  { origin, kind }: WantedCredential,
): Promise<FoundCredential | undefined> {
  const inFile = fileFlags[kind];
  const file = inFile && flags[inFile.name];
  if (inFile && file !== undefined) {
    return { secret: (await readText(context, inFile.flag, file)).trim(), source: inFile.flag };
  }
  const { variable } = credentialKinds[kind];
  const given = context.env[variable]?.trim();
  if (given) return { secret: given, source: variable };
  const store = openStore(context);
  const found = await store.find({ origin, kind });
  return found && { secret: found.secret, source: found.in === "file" ? store.file : "keychain" };
}

/** The credentials that this person stored on this machine. */
export const openStore = (context: Context): CredentialStore =>
  createStore({
    folder: configFolder(context),
    keychain: context.keychain,
    onSlowKeychain: () => context.io.stderr.write("Waiting for your keychain. It may be asking you.\n"),
  });
