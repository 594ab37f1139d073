/** Which of two values counts: they are equal, the file's, the server's, or nobody can tell. */
export type Side = "same" | "mine" | "theirs" | "conflict";

/** The values of one thing: a text as its hash, or a position. */
export interface Values<Value> {
  /** In the file. */
  readonly mine: Value;
  /** On the server now. */
  readonly theirs: Value;
  /** As both were when this checkout last saw the server; undefined if it never did. */
  readonly base: Value | undefined;
  /** As the last push set it; undefined if none did. */
  readonly pushed: Value | undefined;
  /** Whether the server's value is one that the file had in an earlier commit. */
  readonly wasMine?: boolean;
}

/**
 * Compares file and server. The server's value counts as nobody's edit if it is the one that the last push set. A file
 * that is still as an older list had it does not win over such a value, unless `filesRule`: in a CI job, whose checkout
 * never learns what was pushed. (rule C22)
 */
export function sideOf<Value>(
  { mine, theirs, base, pushed, wasMine }: Values<Value>,
  filesRule: boolean,
): Side {
  if (mine === theirs) return "same";
  if (base === theirs) return "mine";
  const isUnread = base !== undefined && mine === base;
  if (pushed === theirs && (filesRule || !isUnread)) return "mine";
  if (isUnread || (pushed !== undefined && mine === pushed)) return wasMine && filesRule ? "mine" : "theirs";
  return wasMine ? "mine" : "conflict";
}
