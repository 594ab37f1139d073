import type { Sealer } from "./secrets.ts";

const mark = "sealed:";

const shownEnd = 4;

const longEnough = 24;

/** Whether a stored address is sealed with the deployment's secret. Older versions stored addresses as plain text. */
export const isSealed = (stored: string): boolean => stored.startsWith(mark);

/**
 * Encrypts an address for the database, for example the address of a chat webhook. Such an address is a secret, because
 * everybody who knows it can post messages to the channel.
 */
export const sealAddress = (sealer: Pick<Sealer, "seal">, address: string): string =>
  mark + sealer.seal(address);

/** Returns the plain address for a stored address. Throws if the address was sealed with another secret. */
export const openAddress = (sealer: Pick<Sealer, "open">, stored: string): string =>
  isSealed(stored) ? sealer.open(stored.slice(mark.length)) : stored;

/**
 * Returns the parts of an address that may be shown: its origin, and its last four characters if the address is long.
 */
export function maskAddress(address: string): string {
  const { origin, pathname, search } = new URL(address);
  const rest = pathname + search;
  return `${origin}/***${rest.length >= longEnough ? rest.slice(-shownEnd) : ""}`;
}

const hashedText = (email: string): string => `erased person\n${email}`;

/**
 * Returns the keyed hash of an e-mail address. The receipt of an erasure contains the hash in place of the address. The
 * address must be normalised.
 */
export const personHash = ({ mark }: Pick<Sealer, "mark">, email: string): string => mark(hashedText(email));

/**
 * Whether a hash belongs to an e-mail address. The hash may have been computed with the present secret or an old one.
 */
export const isPersonHash = ({ isMark }: Pick<Sealer, "isMark">, email: string, hash: string): boolean =>
  isMark(hashedText(email), hash);

/**
 * Returns all hashes of an e-mail address that receipts of erasures may contain. They are computed with the present
 * secret and with the old ones.
 */
export const personHashes = ({ marks }: Pick<Sealer, "marks">, email: string): readonly string[] =>
  marks(hashedText(email));

const ofSecret = "secret of erased people";

/**
 * Returns a text that identifies the deployment's secret. An entry in the journal of erasures contains this text,
 * because it says with which secret the hash in the entry was computed.
 */
export const secretMark = ({ mark }: Pick<Sealer, "mark">): string => mark(ofSecret);

export const isSecretMark = ({ isMark }: Pick<Sealer, "isMark">, mark: string): boolean =>
  isMark(ofSecret, mark);
