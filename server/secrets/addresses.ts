import type { Sealer } from "./secrets.ts";

const mark = "sealed:";

const shownEnd = 4;

const longEnough = 24;

/** Whether a stored address is sealed with the deployment's secret. Older versions stored addresses as plain text. */
export const isSealed = (stored: string): boolean => stored.startsWith(mark);

/** The stored form of a chat webhook's address. The address is a secret: everybody who knows it can post there. */
export const sealAddress = (sealer: Pick<Sealer, "seal">, address: string): string =>
  mark + sealer.seal(address);

/** The address itself. Throws if it was sealed with another secret. */
export const openAddress = (sealer: Pick<Sealer, "open">, stored: string): string =>
  isSealed(stored) ? sealer.open(stored.slice(mark.length)) : stored;

/** The parts of an address that may be shown: its origin and, if it is long, its last four characters. */
export function maskAddress(address: string): string {
  const { origin, pathname, search } = new URL(address);
  const rest = pathname + search;
  return `${origin}/***${rest.length >= longEnough ? rest.slice(-shownEnd) : ""}`;
}

const hashedText = (email: string): string => `erased person\n${email}`;

/** The keyed hash by which a receipt names a person. The address must be normalised. */
export const personHash = ({ mark }: Pick<Sealer, "mark">, email: string): string => mark(hashedText(email));

/** Whether a hash is that of an address, also if it was made with an old secret. */
export const isPersonHash = ({ isMark }: Pick<Sealer, "isMark">, email: string, hash: string): boolean =>
  isMark(hashedText(email), hash);

/** The hashes that receipts may have of an address: by the present secret and by old ones. */
export const personHashes = ({ marks }: Pick<Sealer, "marks">, email: string): readonly string[] =>
  marks(hashedText(email));

const ofSecret = "secret of erased people";

/** The mark of a secret. In an entry of the journal it shows with which secret the hash was made. */
export const secretMark = ({ mark }: Pick<Sealer, "mark">): string => mark(ofSecret);

export const isSecretMark = ({ isMark }: Pick<Sealer, "isMark">, mark: string): boolean =>
  isMark(ofSecret, mark);
