/**
 * Whether a command line is a `feedback send --best-effort`, which must not break a build. Reads only its words,
 * because the command line may be faulty.
 */
export function isBestEffort(argv: readonly string[]): boolean {
  const at = argv.indexOf("feedback");
  const verb = at < 0 ? undefined : argv.slice(at + 1).find((word) => !word.startsWith("-"));
  return verb === "send" && argv.some((word) => /^--best-effort(=|$)/.test(word));
}
