import { join } from "node:path";
import {
  type CredentialIndex,
  type CredentialKey,
  hintOf,
  indexOf,
  type StoredCredential,
  withEntry,
} from "./credential-index.ts";
import { inTurn } from "./folder-turn.ts";
import type { Keychain } from "./keychain.ts";
import { createKeychainSecrets } from "./keychain-secrets.ts";
import { readIfThere } from "./private-file.ts";

/** The parts of the store. */
export interface StoreOptions {
  readonly folder: string;
  /** Loads the keychain; called only when a secret is in it or goes into it. */
  readonly keychain: () => Promise<Keychain | undefined>;
  /** Called when the keychain is slow, because it may be asking the person. */
  readonly onSlowKeychain: () => void;
}

/** A secret and where it was found. */
export interface Found {
  readonly secret: string;
  readonly in: StoredCredential["in"];
}

export type CredentialStore = ReturnType<typeof createStore>;

const accountOf = ({ origin, kind }: CredentialKey) => `${kind}@${origin}`;

/**
 * Secrets by the origin that they were issued for: in the keychain, or in a 0600 file. The file also lists what is
 * in the keychain, so that the keychain is used only when needed.
 */
export function createStore({ folder, keychain, onSlowKeychain }: StoreOptions) {
  const file = join(folder, "credentials.json");
  const vault = createKeychainSecrets(keychain, onSlowKeychain);
  const index = () => readIndex(file);
  /** Sets or removes one entry, and keeps what other processes have stored meanwhile. */
  const save = async (key: CredentialKey, stored: StoredCredential | undefined) => {
    // Loaded only to write: it takes longer to load than a command takes to start.
    const { writeSettings } = await import("./conf.lazy.ts");
    await inTurn(folder, () =>
      writeSettings({ folder, name: "credentials" }, withEntry(index(), key, stored)),
    );
  };

  return {
    file,
    index,

    /** The secret for exactly this origin. Throws a KeychainError if the keychain holds it but does not give it. */
    async find(key: CredentialKey): Promise<Found | undefined> {
      const stored = index()[key.origin]?.[key.kind];
      if (!stored) return undefined;
      if (stored.in === "file") return { in: "file", secret: stored.secret };
      const secret = await vault.read(accountOf(key));
      return secret === undefined ? undefined : { in: "keychain", secret };
    },

    /**
     * Stores a secret in the keychain; in the file if no keychain works or `wanted` says so. Gives where it is
     * stored. Throws a KeychainError if the keychain does not answer.
     */
    async put(key: CredentialKey, secret: string, wanted?: "file"): Promise<StoredCredential["in"]> {
      const before = index();
      const account = accountOf(key);
      const hint = hintOf(secret);
      const kept = wanted !== "file" && (await vault.keep(account, secret));
      await save(key, kept ? { in: "keychain", hint } : { in: "file", secret, hint });
      if (!kept && before[key.origin]?.[key.kind]?.in === "keychain") await vault.forget(account);
      return kept ? "keychain" : "file";
    },

    /** Removes a secret. Gives whether there was one. */
    async remove(key: CredentialKey): Promise<boolean> {
      const before = index();
      const stored = before[key.origin]?.[key.kind];
      if (!stored) return false;
      if (stored.in === "keychain") await vault.forget(accountOf(key));
      await save(key, undefined);
      return true;
    },
  };
}

/** The file with the secrets is damaged. */
export class DamagedStoreError extends Error {
  // The message of the parser quotes the file with its secrets, so it is not passed on.
  constructor(file: string) {
    super(`The file ${file} is damaged. Remove it and store your credentials again.`);
    this.name = "DamagedStoreError";
  }
}

function readIndex(file: string): CredentialIndex {
  const text = readIfThere(file);
  if (text === undefined) return {};
  try {
    return indexOf(text);
  } catch {
    throw new DamagedStoreError(file);
  }
}
