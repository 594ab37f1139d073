import { lstat, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { limits } from "../../../../contract/limits.ts";
import { usageError } from "../../../core/failures/cli-error.ts";
import { readForeignText } from "../../../core/input/foreign-file.ts";
import { replaceFile } from "../../../core/output/replace-file.ts";

/** How an entry was when file and server were last the same: the hash of its text, and its position, apart. */
export interface SeenEntry {
  readonly text: string | undefined;
  readonly sortOrder: number | undefined;
}

/** What a checkout knows of the server. */
export interface SeenState {
  readonly server: string | undefined;
  readonly app: string | undefined;
  readonly entries: ReadonlyMap<string, SeenEntry>;
}

export const nothingSeen: SeenState = { server: undefined, app: undefined, entries: new Map() };

const fileName = ".innkeep-faq.json";

/** Where the state of a folder, or of a list file, is kept, and under which name. */
export interface StatePlace {
  readonly file: string;
  readonly name: string;
}

export const statePlaceOf = (path: string, isList: boolean): StatePlace =>
  isList
    ? { file: join(dirname(path), fileName), name: basename(path) }
    : { file: join(path, fileName), name: "." };

/** Reads the state; `nothingSeen` if there is none. Throws a usage error for a file that is damaged. */
export async function readState({ file, name }: StatePlace): Promise<SeenState> {
  const list = fieldOf(await readAll(file), name);
  if (list === undefined) return nothingSeen;
  const entries = Object.entries(objectOf(fieldOf(list, "entries"))).map(
    ([id, entry]) => [id.toLowerCase(), seenIn(entry)] as const,
  );
  return { server: textIn(list, "server"), app: textIn(list, "app"), entries: new Map(entries) };
}

/** Stores the state, with each entry on a line of its own so that Git can merge it. Gives whether it changed. */
export async function writeState({ file, name }: StatePlace, state: SeenState): Promise<boolean> {
  const all = objectOf(await readAll(file));
  const text = textOf({ ...all, [name]: shownOf(state) });
  const before = await readFile(file, "utf8").catch(() => undefined);
  if (before?.replace(/\r\n/g, "\n") === text) return false;
  await replaceFile(file, text);
  return true;
}

const shownOf = ({ server, app, entries }: SeenState) => ({
  server,
  app,
  entries: Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1))),
});

function textOf(lists: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(lists).map(([name, list]) => {
    const { entries, ...head } = objectOf(list);
    const heads = Object.entries(head).filter(([, value]) => value !== undefined);
    const lines = Object.entries(objectOf(entries)).map(
      ([id, entry]) => `      ${JSON.stringify(id)}: ${JSON.stringify(entry)}`,
    );
    const shown = heads
      .map(([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)},\n`)
      .join("");
    const body = lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n    }`;
    return `  ${JSON.stringify(name)}: {\n${shown}    "entries": ${body}\n  }`;
  });
  return `{\n${parts.join(",\n")}\n}\n`;
}

async function readAll(file: string): Promise<unknown> {
  // The file is written too: a link in a checkout of a stranger may lead to any file of the machine.
  const found = await lstat(file).catch(() => undefined);
  if (found && !found.isFile())
    throw usageError(`${file} is a link or no file.`, "Delete it and run `innkeep faq pull`.");
  const text = readForeignText(file, file, limits.faqList);
  if (text === undefined) return {};
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw usageError(
      `${file} is damaged, perhaps by a merge.`,
      "Take one side of the merge, or delete the file and run `innkeep faq pull`.",
    );
  }
}

const seenIn = (entry: unknown): SeenEntry => {
  const sortOrder = fieldOf(entry, "sortOrder");
  return {
    text: textIn(entry, "text"),
    sortOrder: typeof sortOrder === "number" ? sortOrder : undefined,
  };
};

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};

const fieldOf = (value: unknown, name: string): unknown => objectOf(value)[name];

function textIn(value: unknown, name: string): string | undefined {
  const text = fieldOf(value, name);
  return typeof text === "string" ? text : undefined;
}
