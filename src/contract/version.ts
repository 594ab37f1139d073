/** A version without the usual prefixes: `v2.4.0` and `app@2.4.0` become `2.4.0`. Other texts stay as they are. */
export function plainVersion(version: string): string {
  const text = version.trim();
  return /^(?:.*@)?v?(\d.*)$/is.exec(text)?.[1] ?? text;
}

/** Whether two texts name the same version. */
export const isSameVersion = (a: string, b: string): boolean => plainVersion(a) === plainVersion(b);
