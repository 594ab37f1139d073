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
