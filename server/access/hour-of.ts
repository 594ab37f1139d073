export const hourMilliseconds = 3_600_000;

/** The beginning of the hour of an instant. The last use of a credential is recorded so. (rule S22) */
export const hourOf = (at: Date): string =>
  new Date(Math.floor(at.getTime() / hourMilliseconds) * hourMilliseconds).toISOString();
