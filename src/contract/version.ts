/** Whether two texts name the same version. (rule C10) */
export const isSameVersion = (a: string, b: string): boolean => comparableVersion(a) === comparableVersion(b);

/**
 * Removes leading zeros from the numbers of a plain version: `2025.01.15` becomes `2025.1.15`. A date such as `2025-01-15`
 * is not changed.
 */
export function comparableVersion(version: string): string {
  const plain = plainVersion(version);
  if (!/^\d/.test(plain) || /^\d{4}-\d\d-\d\d$/.test(plain)) return plain;
  return plain.replace(
    /(^|[.+-])(\d+)(?=[.+\s(-]|$)/g,
    (_, before: string, digits: string) => before + digits.replace(/^0+(?=\d)/, ""),
  );
}

/** Removes the usual prefixes of a version: `v2.4.0` and `app@2.4.0` become `2.4.0`. Other texts are not changed. */
export function plainVersion(version: string): string {
  const text = version.trim();
  return /^(?:.*@)?v?(\d.*)$/is.exec(text)?.[1] ?? text;
}
