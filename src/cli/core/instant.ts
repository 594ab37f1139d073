import { usageError } from "./cli-error.ts";

/**
 * The instant of a flag; undefined without the flag. A day means its first moment in UTC. Throws a usage error for any
 * text that is neither a day nor an instant.
 */
export function instantOf(flag: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const text = /^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00:00Z` : given;
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw usageError(
    `${flag} must be a day such as 2026-11-21, or an instant such as 2026-11-21T09:00:00Z, not "${given}".`,
  );
}
