const freshMilliseconds = 10 * 60_000;

/**
 * Whether a person has signed in so recently that the sign-in stands for a proof. It takes the place of the password, where an
 * account has none. (rule S31)
 */
export const isFresh = (signedInAt: string | undefined, now: Date): boolean =>
  signedInAt !== undefined && now.getTime() - Date.parse(signedInAt) < freshMilliseconds;
