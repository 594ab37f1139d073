import { randomUUID } from "node:crypto";
import type { Client } from "../../client/call.ts";
import { formBody } from "../../client/send.ts";
import { contentPictures } from "../../contract/limits.ts";
import { checkSentFiles } from "../delivery/report.ts";
import type { Invocation } from "./context.ts";
import { appIdOf, wholeId } from "./ids.ts";
import { inputFaultsError } from "./input.ts";
import { type Column, note, printList } from "./output.ts";

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

/** Returns the complete id of an earlier text. `command` lists these texts. `name` returns a readable name. */
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

/** Stores pictures for the texts of the FAQ. Prints for each picture the Markdown that shows it. */
export const addFaqPictures = (invocation: Invocation, paths: readonly string[]): Promise<undefined> =>
  addPictures(invocation, paths, (client, input) => client.texts.addFaqPictures(input));

/** Stores pictures for release notes. Prints for each picture the Markdown that shows it. */
export const addReleasePictures = (invocation: Invocation, paths: readonly string[]): Promise<undefined> =>
  addPictures(invocation, paths, (client, input) => client.texts.addReleasePictures(input));

type Input = Extract<Parameters<Client["texts"]["addFaqPictures"]>[0], { readonly content: unknown }>;

type Answer = ReturnType<Client["texts"]["addFaqPictures"]>;

async function addPictures(
  invocation: Invocation,
  paths: readonly string[],
  send: (client: Client, input: Input) => Answer,
): Promise<undefined> {
  const rules = { flag: "<files>", ...contentPictures };
  const { value, faults } = await checkSentFiles(invocation.context.cwd, paths, rules);
  if (faults.length > 0) throw inputFaultsError(faults);
  const content = formBody({ fields: {}, files: { pictures: value } }, randomUUID());
  const params = { appId: await appIdOf(invocation) };
  const { pictures } = await send(invocation.client(), { params, content });
  note(invocation, pictures.length === 1 ? "Stored the picture." : `Stored ${pictures.length} pictures.`);
  printList(invocation, {
    items: pictures,
    columns: [
      { heading: "markdown", of: ({ markdown }) => markdown },
      { heading: "url", of: ({ url }) => url },
    ],
  });
}
