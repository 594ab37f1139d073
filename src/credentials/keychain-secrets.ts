import { type Keychain, KeychainError, withinLimit } from "./keychain.ts";

const service = "innkeep";

/**
 * Our secrets in the keychain. `keychain` is loaded only when one is wanted; `onSlow` is told when it takes its time,
 * because it may be asking the person.
 */
export function createKeychainSecrets(keychain: () => Promise<Keychain | undefined>, onSlow: () => void) {
  const within = <T>(answer: Promise<T>) => withinLimit(answer, onSlow);
  return {
    /** Whether the keychain took the secret. Throws a KeychainError where it does not answer. */
    async keep(account: string, secret: string): Promise<boolean> {
      const chain = await keychain();
      if (!chain) return false;
      try {
        await within(chain.setPassword(service, account, secret));
        return (await within(chain.getPassword(service, account))) === secret;
      } catch (error) {
        // A late keychain may yet take the secret: a second copy on disk is not what the person asked for.
        if (error instanceof KeychainError && !error.isLate) return false;
        throw error;
      }
    },

    /** The secret; undefined where it is gone. Throws a KeychainError where the keychain does not give it. */
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
