import { join } from "node:path";
import { inTurn } from "./folder-turn.ts";
import { readIfThere } from "./folders.ts";
import { type Keychain, KeychainError, withinLimit } from "./keychain.ts";

interface StoreOptions {
  readonly folder: string;
  /** Loads the keychain. Called only to read, store or delete a secret in the keychain. */
  readonly keychain: () => Promise<Keychain | undefined>;
  /** Called after half a second without an answer. The keychain may be showing a dialog. */
  readonly onSlowKeychain: () => void;
}

/** A secret and where it was found. */
interface Found {
  readonly secret: string;
  readonly in: StoredCredential["in"];
}

export type CredentialStore = ReturnType<typeof createStore>;

const accountOf = ({ origin, kind }: CredentialKey) => `${kind}@${origin}`;

/** Creates the store of secrets by server origin. A secret is in the keychain, or in a private file (0600). */
export function createStore({ folder, keychain, onSlowKeychain }: StoreOptions) {
  const file = join(folder, "credentials.json");
  const vault = createKeychainSecrets(keychain, onSlowKeychain);
  // The file also says which secrets are in the keychain.
  const index = () => readIndex(file);
  /**
   * Sets or removes one entry. Reads the file again before this change, because other processes may have stored
   * entries.
   */
  const save = async (key: CredentialKey, stored: StoredCredential | undefined) => {
    // The module for writing is loaded only here, because loading it takes longer than the start of a command.
    const { writeSettings } = await import("./conf.lazy.ts");
    await inTurn(folder, () =>
      writeSettings({ folder, name: "credentials" }, withEntry(index(), key, stored)),
    );
  };

  return {
    file,
    index,

    /**
     * Finds the secret for exactly this origin. Throws a KeychainError if the secret cannot be read from the keychain.
     */
    async find(key: CredentialKey): Promise<Found | undefined> {
      const stored = index()[key.origin]?.[key.kind];
      if (!stored) return undefined;
      if (stored.in === "file") return { in: "file", secret: stored.secret };
      const secret = await vault.read(accountOf(key));
      return secret === undefined ? undefined : { in: "keychain", secret };
    },

    /**
     * Stores a secret in the keychain, otherwise in the file. Returns the place. Throws a KeychainError for a
     * slow keychain.
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

    /** Removes a secret. Returns whether there was one. */
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
  // The message of the parser is not used here, because it contains a part of the file with the secrets.
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

/** Where a secret is stored. `hint` is the start of the secret, so that a person can recognise it. */
type StoredCredential =
  | { readonly in: "file"; readonly secret: string; readonly hint: string }
  | { readonly in: "keychain"; readonly hint: string };

/** Stored credentials. The first key is the origin of the server that issued them, the second key is their kind. */
type CredentialIndex = Readonly<Record<string, Readonly<Record<string, StoredCredential>>>>;

/** The key of a stored credential. */
interface CredentialKey {
  /** The origin of the server that issued the credential. */
  readonly origin: string;
  readonly kind: string;
}

/** Reads the index from JSON. Throws if the text is not an index. */
function indexOf(text: string): CredentialIndex {
  const value: unknown = JSON.parse(text);
  return mapEntries(value, (kinds) => mapEntries(kinds, storedOf));
}

/** Returns the index with one entry set, or without the entry if `stored` is undefined. */
function withEntry(
  index: CredentialIndex,
  { origin, kind }: CredentialKey,
  stored: StoredCredential | undefined,
): CredentialIndex {
  const { [kind]: _, ...kinds } = index[origin] ?? {};
  const { [origin]: __, ...origins } = index;
  const next = stored ? { ...kinds, [kind]: stored } : kinds;
  return Object.keys(next).length === 0 ? origins : { ...origins, [origin]: next };
}

/** Returns the first characters of a secret. They are enough to recognise the secret, but not to use it. */
export const hintOf = (secret: string): string => (secret.length < 20 ? "…" : `${secret.slice(0, 8)}…`);

function storedOf(value: unknown): StoredCredential {
  if (typeof value !== "object" || value === null) throw new TypeError("not an entry");
  const hint = "hint" in value && typeof value.hint === "string" ? value.hint : "…";
  if ("secret" in value && typeof value.secret === "string")
    return { in: "file", secret: value.secret, hint };
  return { in: "keychain", hint };
}

function mapEntries<T>(value: unknown, each: (value: unknown) => T): Record<string, T> {
  if (typeof value !== "object" || value === null) throw new TypeError("not an object");
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, each(inner)]));
}

const service = "innkeep";

/** Creates the functions for secrets in the keychain, which is loaded at the first use. */
function createKeychainSecrets(keychain: () => Promise<Keychain | undefined>, onSlow: () => void) {
  const within = <T>(answer: Promise<T>) => withinLimit(answer, onSlow);
  return {
    /**
     * Stores a secret. Returns false without a keychain, or if the keychain refuses. Throws a KeychainError for
     * a slow keychain.
     */
    async keep(account: string, secret: string): Promise<boolean> {
      const chain = await keychain();
      if (!chain) return false;
      try {
        await within(chain.setPassword(service, account, secret));
        return (await within(chain.getPassword(service, account))) === secret;
      } catch (error) {
        // A slow keychain may still store the secret. In that case, the secret must not be stored on disk, too.
        if (error instanceof KeychainError && !error.isLate) return false;
        throw error;
      }
    },

    /**
     * Reads a secret; undefined if it was removed. Throws a KeychainError if the keychain does not answer or refuses.
     */
    async read(account: string): Promise<string | undefined> {
      const chain = await keychain();
      if (!chain)
        throw new KeychainError(
          "The credential is stored in a keychain, and this machine has no keychain now.",
          false,
        );
      return (await within(chain.getPassword(service, account))) ?? undefined;
    },

    async forget(account: string): Promise<void> {
      const chain = await keychain();
      if (chain) await within(chain.deletePassword(service, account));
    },
  };
}
