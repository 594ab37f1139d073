const longest = 100;

/**
 * The name that a program gives itself, as it can be stored and allowed: without control characters and halves of
 * characters, at most 100 characters. Empty if nothing is left.
 */
export function programName(given: unknown): string {
  if (typeof given !== "string") return "";
  const clean = given.replace(/[\p{Cc}\p{Cs}]/gu, "").trim();
  return [...clean].slice(0, longest).join("").trim();
}
