import type { Sealer } from "./secrets.ts";

const mark = "sealed:";
const shownEnd = 4;
const longEnough = 24;

/** Whether an address is stored as only the deployment's secret can read it. Older versions stored them in clear. */
export const isSealed = (stored: string): boolean => stored.startsWith(mark);

/** How the address of a chat webhook is stored: who has it can post there. */
export const sealAddress = (sealer: Pick<Sealer, "seal">, address: string): string =>
  mark + sealer.seal(address);

/** The address itself. Throws if it was sealed with another secret. */
export const openAddress = (sealer: Pick<Sealer, "open">, stored: string): string =>
  isSealed(stored) ? sealer.open(stored.slice(mark.length)) : stored;

/** What of an address may be shown: where it points to, and of a long one how it ends, so that a person knows it again. */
export function maskAddress(address: string): string {
  const { origin, pathname, search } = new URL(address);
  const rest = pathname + search;
  return `${origin}/***${rest.length >= longEnough ? rest.slice(-shownEnd) : ""}`;
}
