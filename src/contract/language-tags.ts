import { limits } from "./limits.ts";

/** A language, and optionally a script, a country and variants. Extensions and private tags are refused. */
const shape = /^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*$/;

/** Returns a BCP 47 tag in its canonical form, such as `pt-BR`; undefined for any other text. (rule C34) */
export function canonicalLanguage(tag: string): string | undefined {
  if (tag.length > limits.language) return undefined;
  try {
    const [canonical = ""] = Intl.getCanonicalLocales(tag);
    return shape.test(canonical) ? canonical : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the language tags under which a translation is looked for, the best one first: `zh-Hant-TW`, `zh-Hant`, `zh`.
 * Returns none if `wanted` is not a language tag. Extensions are left out. (rule C35)
 */
export function lookedForLanguages(wanted: string): readonly string[] {
  const tag = wanted
    .slice(0, 200)
    .replaceAll("_", "-")
    .replace(/-[a-z0-9](?:-.*)?$/i, "");
  const canonical = canonicalLanguage(tag);
  if (canonical === undefined) return [];
  const parts = canonical.split("-");
  return parts.map((_, at) => parts.slice(0, parts.length - at).join("-"));
}
