const allowed: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** An absolute address to which a page may link; undefined for every other, such as `javascript:` or a path. */
export function safeAddress(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url && allowed.has(url.protocol) ? url.href : undefined;
}
