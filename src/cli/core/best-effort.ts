const verbs = ["send", "resolve"] as const;
export type BestEffortVerb = (typeof verbs)[number];

/**
 * Returns the verb of `feedback … --best-effort`, which must not break a build. Undefined for any other command line.
 * Does not use the parser, because the parser may reject the command line. (rule L7)
 */
export function bestEffortVerb(argv: readonly string[]): BestEffortVerb | undefined {
  const at = argv.indexOf("feedback");
  const verb = at < 0 ? undefined : argv.slice(at + 1).find((word) => !word.startsWith("-"));
  if (!argv.some((word) => /^--best-effort(=|$)/.test(word))) return undefined;
  return verbs.find((one) => one === verb);
}

/** Whether a command line must not break a build. */
export const isBestEffort = (argv: readonly string[]): boolean => bestEffortVerb(argv) !== undefined;
