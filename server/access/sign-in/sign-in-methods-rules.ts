const stepMilliseconds = 30_000;

/** A typed code of a second factor. */
export type GivenCode =
  | { readonly kind: "totp"; readonly digits: string }
  | { readonly kind: "recovery"; readonly code: string };

/**
 * Reads a typed code. Six digits are a code of an authenticator app, and any other text is a recovery code. White
 * space, hyphens and capital letters do not matter. (rule S24)
 */
export function givenCode(text: string): GivenCode {
  const typed = text.replace(/[\s-]/g, "").toLowerCase();
  return /^\d{6}$/.test(typed) ? { kind: "totp", digits: typed } : { kind: "recovery", code: typed };
}

/**
 * Returns the time steps whose codes are accepted: the present one, and the ones before and after it, because clocks
 * differ. Steps up to `lastStep` are refused: their codes were used, or are older than a used one. (rule S23)
 */
export function acceptedSteps(now: Date, lastStep: number): number[] {
  const present = Math.floor(now.getTime() / stepMilliseconds);
  return [present - 1, present, present + 1].filter((step) => step > lastStep);
}
