import type { Invocation } from "./context.ts";
import { wholeId } from "./ids.ts";
import { type Column, printList } from "./output.ts";

/** An earlier text of an FAQ entry or a release note. */
interface EarlierText {
  readonly id: string;
  readonly at: string;
  readonly by: string | null;
}

/** Prints earlier texts as a list. `columns` are the columns after the id, the time and the author. */
export function printEarlierTexts<Row extends EarlierText>(
  invocation: Invocation,
  items: readonly Row[],
  columns: readonly Column<Row>[],
): void {
  printList(invocation, {
    items,
    columns: [
      { heading: "id", of: ({ id }) => id, isId: true },
      { heading: "at", of: ({ at }) => at },
      { heading: "by", of: ({ by }) => by },
      ...columns,
    ],
  });
}

/**
 * Returns the whole id of an earlier text. `command` is the command that lists these texts, and `name` returns the name
 * of a text for a person.
 */
export const idOfEarlierText = <Row extends EarlierText>(
  given: string,
  {
    command,
    list,
    name,
  }: {
    readonly command: string;
    readonly list: () => Promise<{ readonly items: readonly Row[] }>;
    readonly name: (text: Row) => string;
  },
): Promise<string> =>
  wholeId(given, {
    thing: "earlier text",
    command,
    list: async () => (await list()).items.map((text) => ({ id: text.id, name: name(text) })),
  });
