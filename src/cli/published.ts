/** A package in a registry of npm. */
export interface PublishedPackage {
  /** The address of the registry, without a slash at the end. */
  readonly registry: string;
  /** The name of the package in the registry. */
  readonly name: string;
}

/**
 * The registry and the name of this package. Null until we own a name in a registry. Until then no command that we show
 * downloads the package by name: a stranger could register that name and get the tokens of users. (rule L56)
 */
export const published: PublishedPackage | null = null;

/** Returns the command that starts this program: `npx` with the published name, or `innkeep` if it is not published. */
export const wordsToStart = (from: PublishedPackage | null = published): readonly string[] =>
  from === null ? ["innkeep"] : ["npx", "-y", from.name];
