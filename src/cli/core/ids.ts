import { isId } from "./app-id.ts";
import { CliError, usageError } from "./cli-error.ts";
import { onOneLine } from "./plain-text.ts";

/** An item of a list: its id, and a name for a person. */
export interface Listed {
  readonly id: string;
  readonly name: string;
}

export interface IdLookup {
  /** What an item is called, such as `FAQ entry`. */
  readonly thing: string;
  /** The command that lists all items. */
  readonly command: string;
  readonly list: () => Promise<readonly Listed[]>;
  /** What the list leaves out, in a sentence. */
  readonly leftOut?: string;
}

const fewest = 4;

/**
 * The whole id: as given, or the only id of the list with this start. A text that cannot be the start of an id is
 * left to the server. Throws a CliError if no id has this start, and a usage error with the choice if several have
 * it.
 */
export async function wholeId(
  given: string,
  { thing, command, list, leftOut = "" }: IdLookup,
): Promise<string> {
  if (!isStart(given)) return given.toLowerCase();
  const found = (await list()).filter(({ id }) => id.startsWith(given.toLowerCase()));
  const [one, ...others] = found;
  if (!one) {
    const message = `There is no ${thing} ${given}.`;
    throw new CliError({
      exit: "notFound",
      code: "not_found",
      message,
      next: `\`${command}\` shows all. ${leftOut}`.trimEnd(),
    });
  }
  if (others.length === 0) return one.id;
  const choice = found.map(({ id, name }) => `  ${id}  ${onOneLine(name)}`).join("\n");
  throw usageError(`${found.length} ids start with ${given}.`, `Give more of it:\n${choice}`);
}

/** Whether a text can be the start of an id, and is long enough. */
export const isStart = (text: string): boolean =>
  text.length >= fewest && text.length < 36 && /^[0-9a-f]{1,8}(-[0-9a-f-]*)?$/i.test(text);

const shown = 8;

/** The shortest starts of the ids that are all different. */
export function shortened(ids: readonly string[]): string[] {
  const different = new Set(ids);
  let length = shown;
  while (length < 36 && new Set([...different].map((id) => id.slice(0, length))).size < different.size)
    length += 1;
  return ids.map((id) => (isId(id) ? id.slice(0, length).replace(/-$/, "") : id));
}
