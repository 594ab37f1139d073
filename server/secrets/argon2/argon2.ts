/** One implementation of the hashes of passwords. All make and read the same texts, in the form of PHC strings. */
export interface Argon2 {
  hash(password: string): Promise<string>;
  /** Whether the text is the hash of the password. Rejects a text that is not a hash of this kind. */
  verify(stored: string, password: string): Promise<boolean>;
}

/** What a hash depends on, beside the password. */
export interface Cost {
  /** In KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
}

/** The bytes of a hash of `length` bytes. Does not keep this thread busy. */
export type Derive = (
  password: string,
  salt: Buffer,
  cost: Cost & { readonly length: number },
) => Promise<Uint8Array>;

/** OWASP's minimum for Argon2id: 19 MiB, two passes, one lane. */
export const usualCost: Cost = { memory: 19_456, passes: 2, lanes: 1 };

/** The length of new hashes, in bytes. */
export const hashLength = 32;
