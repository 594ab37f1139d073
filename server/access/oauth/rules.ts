const minute = 60_000;

const day = 86_400_000;

/** How long the parts of a connection live, in milliseconds. */
export const lifetimes = {
  code: 5 * minute,
  access: 60 * minute,
  /** Counted from its last refresh: a connection that nobody uses ends. */
  refresh: 90 * day,
  /** Repeats of a refresh get the same answer that long. */
  grace: minute,
  /** Of a connection that has ended by itself, counted from its last use: so long the list of tokens shows that it ended. */
  endedConnection: 180 * day,
  /** Of a registration to which nobody allowed anything. */
  unusedClient: day,
} as const;

/**
 * What a refresh token is good for: the next pair of tokens, the same pair once more, or nothing. A `replay` means that
 * two programs have it. (rule A48)
 */
type RefreshVerdict = "fresh" | "repeat" | "replay" | "expired";

export function refreshVerdict(
  { usedAt, expiresAt }: { readonly usedAt: string | null; readonly expiresAt: string },
  now: Date,
): RefreshVerdict {
  if (usedAt !== null) return now.getTime() - Date.parse(usedAt) <= lifetimes.grace ? "repeat" : "replay";
  return Date.parse(expiresAt) > now.getTime() ? "fresh" : "expired";
}

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
