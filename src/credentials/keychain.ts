/** The functions of the package keytar for the keychain, which is the store of secrets of the system. */
export interface Keychain {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}

/** The keychain did not answer, or refused the request. */
export class KeychainError extends Error {
  /** True if the keychain did not answer, perhaps because it still asks the person. False if the keychain refused. */
  readonly isLate: boolean;

  constructor(message: string, isLate: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = "KeychainError";
    this.isLate = isLate;
  }
}

const limitMs = 3_000;
const slowMs = 500;

/** Returns the keychain of this system; undefined if keytar is not installed or finds no keychain. */
export async function systemKeychain(): Promise<Keychain | undefined> {
  try {
    const { default: keytar } = await import("keytar");
    return keytar;
  } catch {
    return undefined;
  }
}

/**
 * Waits for the keychain. Calls `onSlow` after half a second. Throws a KeychainError after three seconds, or on
 * refusal.
 */
export async function withinLimit<T>(answer: Promise<T>, onSlow: () => void): Promise<T> {
  const timers: NodeJS.Timeout[] = [];
  const late = new Promise<never>((_, reject) => {
    timers.push(setTimeout(onSlow, slowMs));
    timers.push(
      setTimeout(
        () => reject(new KeychainError("The keychain did not answer within 3 seconds.", true)),
        limitMs,
      ),
    );
  });
  try {
    return await Promise.race([answer, late]);
  } catch (cause) {
    if (cause instanceof KeychainError) throw cause;
    throw new KeychainError("The keychain refused the request.", false, { cause });
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}
