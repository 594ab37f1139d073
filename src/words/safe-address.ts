/** Returns an address that a person gave, as messages may show it: without a name and a password. */
export const shownAddress = (given: string): string =>
  given.trim().replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i, "$1");

const allowed: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/**
 * Returns the address if a page may link to it; undefined for other texts, such as a path or a `javascript:` address.
 */
export function safeAddress(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url && allowed.has(url.protocol) ? url.href : undefined;
}
