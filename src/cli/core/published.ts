/** A package in a registry of npm. */
export interface PublishedPackage {
  /** The address of the registry, without a slash at the end. */
  readonly registry: string;
  /** The name that the registry has it under. */
  readonly name: string;
}

/**
 * Where everybody can fetch this package; null while no registry has it under a name of ours. Then no line that we print or
 * show fetches it by a name: whoever takes the name would get what people paste, with their tokens. (rule L56)
 */
export const published: PublishedPackage | null = null;

/** The words that start the command line: from the registry where nothing is installed, else as it is installed. */
export const wordsToStart = (from: PublishedPackage | null = published): readonly string[] =>
  from === null ? ["innkeep"] : ["npx", "-y", from.name];
