/** A limit, because a server may send a number of any size. */
const mostSeconds = 31_536_000;

/**
 * Reads a Retry-After header (a number of seconds or an HTTP date) as whole seconds from now. A date counts from
 * the server's own `Date` header, if there is one, because clocks may differ. Undefined for a missing or malformed
 * header.
 */
export function retryAfterSeconds(
  header: string | undefined,
  serverDate: string | undefined,
  now: Date,
): number | undefined {
  const value = header?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value), mostSeconds);
  const at = Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  const from = Date.parse(serverDate ?? "");
  const seconds = Math.ceil((at - (Number.isNaN(from) ? now.getTime() : from)) / 1_000);
  return Math.min(Math.max(0, seconds), mostSeconds);
}
