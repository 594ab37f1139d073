/** How long a person is shown who has stopped typing. */
const shownFor = 45_000;
/** While a person goes on typing, it is noted again after this time. */
const notedEvery = 20_000;

/** The thread in which a person writes an answer, and when that was last noted. */
export interface NotedAnswering {
  readonly feedbackId: string;
  readonly notedAt: string;
}

/**
 * Whether the person still writes. The clocks of two servers may differ, and a time far ahead comes from a clock that jumped.
 * (rule F36)
 */
export const isAnswering = (now: Date, { notedAt }: Pick<NotedAnswering, "notedAt">): boolean =>
  distance(now, notedAt) < shownFor;

/** Whether to note that a person writes in a thread now. `last` is what was noted before, undefined for nothing. */
export const isNoteDue = (now: Date, feedbackId: string, last: NotedAnswering | undefined): boolean =>
  last?.feedbackId !== feedbackId || distance(now, last.notedAt) >= notedEvery;

const distance = (now: Date, at: string): number => Math.abs(now.getTime() - Date.parse(at));
