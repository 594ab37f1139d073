const stepMilliseconds = 30_000;

/** What a person typed as the code of a second factor. */
export type GivenCode =
  | { readonly kind: "totp"; readonly digits: string }
  | { readonly kind: "recovery"; readonly code: string };

/**
 * Reads a typed code. Six digits come from an authenticator app, everything else is taken for a recovery code. White space,
 * hyphens and capitals do not matter. (rule S24)
 */
export function givenCode(text: string): GivenCode {
  const typed = text.replace(/[\s-]/g, "").toLowerCase();
  return /^\d{6}$/.test(typed) ? { kind: "totp", digits: typed } : { kind: "recovery", code: typed };
}

/**
 * The time steps whose codes are accepted now: the present one, one before and one after it, for clocks that differ. A step
 * up to `lastStep` was used, or is older than a used one, so its code is refused. (rule S23)
 */
export function acceptedSteps(now: Date, lastStep: number): number[] {
  const present = Math.floor(now.getTime() / stepMilliseconds);
  return [present - 1, present, present + 1].filter((step) => step > lastStep);
}
