import { type ApiError, badRequest } from "../../../src/contract/errors.ts";
import type { ThreadFilters } from "../../../src/contract/threads.ts";
import { type View, ViewQuery } from "../../../src/contract/views.ts";

/**
 * Returns the known filters of a stored view. `unknownFilters` contains the names of filters that this version
 * does not know. (rule F44)
 */
export function knownFilters(
  stored: object,
): Pick<View, "query"> & { readonly unknownFilters?: string[] | undefined } {
  const isKnown = (name: string, value: unknown): boolean => {
    const { data } = ViewQuery.safeParse({ [name]: value });
    return data !== undefined && Object.hasOwn(data, name);
  };
  const filters = Object.entries(stored);
  const known = filters.filter(([name, value]) => isKnown(name, value));
  const unknown = filters.filter(([name, value]) => !isKnown(name, value)).map(([name]) => name);
  const query = ViewQuery.parse(Object.fromEntries(known));
  return unknown.length === 0 ? { query } : { query, unknownFilters: unknown };
}

/** Returns why these filters cannot be combined. Returns undefined if they can be combined. */
export function filterRefusal({
  q,
  unread,
  number,
  sender,
}: Pick<ThreadFilters, "q" | "unread" | "number" | "sender">): ApiError | undefined {
  if (q !== undefined && unread !== undefined) return badRequest("unread", "cannot be combined with `q`");
  if (sender !== undefined && (q !== undefined || unread !== undefined))
    return badRequest("sender", "cannot be combined with `q` or `unread`");
  if (number !== undefined && (q !== undefined || unread !== undefined))
    return badRequest("number", "cannot be combined with `q` or `unread`");
  return undefined;
}

/** Returns a count, or a text such as `500+` if the count is more than `most` or not complete. (rule F44) */
export function countAnswer(
  { count, isComplete }: { readonly count: number; readonly isComplete: boolean },
  most: number,
): number | string {
  if (count > most) return `${most}+`;
  return isComplete ? count : `${count}+`;
}

/**
 * Returns the message for a person who cannot save another view. Only maintainers can delete shared views. (rule F44)
 */
export function tooManyViewsText({
  own,
  shared,
  mayDeleteShared,
}: {
  readonly own: number;
  readonly shared: number;
  readonly mayDeleteShared: boolean;
}): string {
  if (own === 0 && !mayDeleteShared)
    return `This app has ${shared} shared views, so you cannot save another one. Ask a maintainer to delete shared views.`;
  const which = mayDeleteShared ? "one of them" : "one of your own";
  return `You see ${own + shared} views of this app: ${own} of your own and ${shared} shared. Delete ${which} first.`;
}
