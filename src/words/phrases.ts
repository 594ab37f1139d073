/** Returns a number with its noun: `1 thread`, `2 threads`, `1,200 threads`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;

/** Returns a noun with its indefinite article: `a test key`, `an app key`. */
export const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;

/** The meanings of the error codes of the operating system, in words for people. */
const meanings: Readonly<Record<string, string>> = {
  EACCES: "it is not allowed",
  EADDRINUSE: "another program listens there",
  EADDRNOTAVAIL: "this machine has no such address",
  EAI_AGAIN: "the host name could not be looked up",
  EBUSY: "another program uses it",
  ECONNREFUSED: "no program listens at that address",
  ECONNRESET: "the connection was cut",
  EDQUOT: "the disk space for this user is used up",
  EEXIST: "it exists already",
  EISDIR: "it is a folder",
  ELOOP: "its links form a circle",
  EMFILE: "this program has too many files open",
  ENAMETOOLONG: "its name is too long",
  ENFILE: "this machine has too many files open",
  ENOENT: "it does not exist",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is not a folder",
  ENOTFOUND: "the host name is not known",
  EPERM: "it is not allowed",
  EROFS: "the disk is read-only",
  ETIMEDOUT: "it did not answer",
  ETXTBSY: "another program uses it",
};

/** Returns in words why a system call failed. Returns the error code if it is not known. */
export function systemReason(cause: unknown): string {
  if (!(cause instanceof Error) || !("code" in cause)) return String(cause);
  const code = String(cause.code);
  return meanings[code] ?? `error ${code}`;
}

/** Whether the operating system refused a write because the disk, or the disk space of this user, is used up. */
export const isFullDisk = (cause: unknown): cause is NodeJS.ErrnoException =>
  cause instanceof Error && "code" in cause && (cause.code === "ENOSPC" || cause.code === "EDQUOT");

/** Returns a sentence that says that the disk of a folder is full, and what to do. */
export const fullDiskText = (folder: string, { code }: Pick<NodeJS.ErrnoException, "code">): string =>
  code === "EDQUOT"
    ? `The disk space for this user is used up in the folder ${folder}: delete files, or ask for more space, then try again.`
    : `The disk of the folder ${folder} is full: free some space on it, or move the folder to a larger disk, then try again.`;

/** Returns the word that a person probably meant. Undefined if no word is similar. */
export function closest(given: string, words: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  const ranked = words
    .map((word) => ({ word, mistakes: distance(wanted, word.toLowerCase()) }))
    .filter(
      ({ word, mistakes }) => mistakes <= Math.max(1, Math.floor(Math.max(word.length, given.length) / 3)),
    )
    .sort((a, b) => a.mistakes - b.mistakes);
  return ranked[0]?.word;
}

/** Returns how many letters must be changed, added, removed or swapped with the next letter to change `a` to `b`. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= b.length; at += 1) {
      const isSame = a[row - 1] === b[at - 1];
      const isSwapped = row > 1 && at > 1 && a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1];
      next[at] = Math.min(
        (last[at] ?? 0) + 1,
        (next[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = last;
    last = next;
  }
  return last[b.length] ?? 0;
}
