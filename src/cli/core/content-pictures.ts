import { randomUUID } from "node:crypto";
import { formBody } from "../../client/body.ts";
import type { Client } from "../../client/call.ts";
import { contentPictures } from "../../contract/limits.ts";
import type { Invocation } from "./context.ts";
import { appIdOf } from "./ids.ts";
import { inputFaultsError } from "./input.ts";
import { note, printList } from "./output.ts";
import { checkSentFiles } from "../delivery/files.ts";

/** Stores pictures for the texts of the FAQ, and prints the Markdown that shows each of them. */
export const addFaqPictures = (invocation: Invocation, paths: readonly string[]): Promise<undefined> =>
  addPictures(invocation, paths, (client, input) => client.texts.addFaqPictures(input));

/** Stores pictures for release notes, and prints the Markdown that shows each of them. */
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
