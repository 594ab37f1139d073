/** After this time without a page a person comes back: what happened meanwhile is new. */
const visitEnds = 30 * 60_000;
/** A look is stored again after this time, so that pages that are open or reloaded write little. */
const notedEvery = 60_000;

/** The last look of a person at a thread or at an inbox, and the one before that visit. Null if there was none. */
export interface Look {
  readonly lookedAt: string | null;
  readonly sinceAt: string | null;
}

/** A look at `now`: since when things are new to the person, null if the person was never here, and whether to store it. */
export interface NewLook {
  readonly since: string | null;
  readonly isDue: boolean;
}

/** What is new at a look. A page that is opened again during one visit shows the same things as new. (rule F53) */
export function lookAt(now: Date, { lookedAt, sinceAt }: Look): NewLook {
  if (lookedAt === null) return { since: sinceAt, isDue: true };
  const age = now.getTime() - Date.parse(lookedAt);
  return age >= visitEnds ? { since: lookedAt, isDue: true } : { since: sinceAt, isDue: age >= notedEvery };
}
