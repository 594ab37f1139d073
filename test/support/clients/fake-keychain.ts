import type { Keychain } from "../../../src/credentials/keychain.ts";

/** A keychain in memory; one that `refuses` exists but rejects every read and write. */
export function fakeKeychain({ refuses = false } = {}): Keychain & { entries(): [string, string][] } {
  const kept = new Map<string, string>();
  const guarded = async <T>(act: () => T): Promise<T> => {
    if (refuses) throw new Error("No such secret service.");
    return act();
  };
  return {
    getPassword: (service, account) => guarded(() => kept.get(`${service}/${account}`) ?? null),
    setPassword: (service, account, password) =>
      guarded(() => {
        kept.set(`${service}/${account}`, password);
      }),
    deletePassword: (service, account) => guarded(() => kept.delete(`${service}/${account}`)),
    entries: () => [...kept],
  };
}
