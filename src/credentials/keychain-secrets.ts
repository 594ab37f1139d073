import { type Keychain, KeychainError, withinLimit } from "./keychain.ts";

const service = "innkeep";

/**
 * Our secrets in the keychain. `keychain` is called only when a secret is read or written; `onSlow` is called when
 * the keychain is slow, because it may be asking the person.
 */
export function createKeychainSecrets(keychain: () => Promise<Keychain | undefined>, onSlow: () => void) {
  const within = <T>(answer: Promise<T>) => withinLimit(answer, onSlow);
  return {
    /**
     * Stores a secret. Gives whether the keychain took it. Throws a KeychainError if the keychain does not answer.
     */
    async keep(account: string, secret: string): Promise<boolean> {
      const chain = await keychain();
      if (!chain) return false;
      try {
        await within(chain.setPassword(service, account, secret));
        return (await within(chain.getPassword(service, account))) === secret;
      } catch (error) {
        // A slow keychain may still store the secret: it must not be on disk as well.
        if (error instanceof KeychainError && !error.isLate) return false;
        throw error;
      }
    },

    /** The secret; undefined if it is gone. Throws a KeychainError if the keychain does not give it. */
    async read(account: string): Promise<string | undefined> {
      const chain = await keychain();
      if (!chain) throw new KeychainError("The keychain that holds the credential is not there.", false);
      return (await within(chain.getPassword(service, account))) ?? undefined;
    },

    async forget(account: string): Promise<void> {
      const chain = await keychain();
      if (chain) await within(chain.deletePassword(service, account));
    },
  };
}
