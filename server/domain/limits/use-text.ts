/** How many uses there were at a time, in milliseconds since 1970. */
export interface Use {
  readonly at: number;
  count: number;
}

/** The uses of one key, in memory. Plain data, because a server holds very many. */
export interface UseLog {
  /** Oldest first. Those before the place `start` no longer count. */
  uses: Use[];
  start: number;
  /** How many uses count. */
  total: number;
  /** What has changed since `usesToStore`, in order. A use that was taken back has the count -1. */
  news: Use[];
  /** How many parts the stored text has. */
  storedParts: number;
  /** Whether the stored text cannot be continued. */
  needsWhole: boolean;
}

/** What is stored of a log. */
export interface UsesToStore {
  readonly text: string;
  /** Whether the text replaces what is stored. Otherwise it is put behind it. */
  readonly isWhole: boolean;
  /** How many parts the text has: what making it costs. */
  readonly parts: number;
}

/** Begins a text or what continues it. Older servers began with `u`, or stored 13 digits for each use. */
const mark = ";";
const olderMark = "u";
/** A stored text may have so many parts more than twice those that count. */
const mostStaleParts = 16;

/**
 * What must be stored of a log since the last call, or undefined if nothing has changed. This is what is new, and the
 * whole log only once as much was added as it has, so that storing a use costs the same however many there are.
 */
export function usesToStore(log: UseLog): UsesToStore | undefined {
  const { uses, start, news, storedParts } = log;
  if (news.length === 0 && !log.needsWhole) return undefined;
  const isWhole = log.needsWhole || storedParts + news.length > 2 * (uses.length - start) + mostStaleParts;
  const stored = isWhole ? uses.slice(start) : news;
  log.news = [];
  log.needsWhole = false;
  log.storedParts = stored.length + (isWhole ? 0 : storedParts);
  return { text: textOf(stored), isWhole, parts: stored.length };
}

/** Stores the whole log the next time, because it is unknown what is stored. */
export function storeWhole(log: UseLog): void {
  log.news = [];
  log.needsWhole = true;
}

interface Stored {
  readonly uses: Use[];
  readonly parts: number;
  /** Whether a text of `usesToStore` may be put behind it. */
  readonly mayGrow: boolean;
}

/** The uses in a stored text: texts of `usesToStore` one after another, or the text of an older server. */
export function usesIn(text: string): Stored {
  const mayGrow = text === "" || text.startsWith(mark);
  const changes = mayGrow ? text.split(mark).flatMap(changesIn) : olderUsesIn(text);
  const uses: Use[] = [];
  for (const change of changes) apply(uses, change);
  return { uses, parts: changes.length, mayGrow };
}

function apply(uses: Use[], { at, count }: Use): void {
  // The uses are in order, so this ends soon.
  const place = uses.findLastIndex((use) => use.at <= at);
  const use = uses[place];
  if (use?.at === at) use.count += count;
  else if (count > 0) uses.splice(place + 1, 0, { at, count });
  if (use && use.count <= 0) uses.splice(place, 1);
}

const olderUsesIn = (text: string): Use[] =>
  text.startsWith(olderMark)
    ? changesIn(text.slice(olderMark.length))
    : (text.match(/\d{13}/g) ?? []).map((at) => ({ at: Number(at), count: 1 }));

/** Each use as the distance from the one before it, in base 36, and its count if that is not 1. */
function textOf(uses: readonly Use[]): string {
  let before = 0;
  const parts = uses.map(({ at, count }) => {
    const distance = (at - before).toString(36);
    before = at;
    return count === 1 ? distance : `${distance}.${count.toString(36)}`;
  });
  return mark + parts.join(" ");
}

function changesIn(text: string): Use[] {
  let before = 0;
  return text
    .split(" ")
    .filter((part) => part !== "")
    .map((part) => {
      const [distance = "", count = "1"] = part.split(".");
      before += Number.parseInt(distance, 36);
      return { at: before, count: Number.parseInt(count, 36) };
    });
}
