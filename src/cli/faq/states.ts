import { lstat, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { canonicalLanguage } from "../../contract/content-text.ts";
import { fieldsOf, valueAt } from "../../contract/json.ts";
import { limits } from "../../contract/limits.ts";
import { usageError } from "../core/cli-error.ts";
import { replaceFile } from "../core/files.ts";
import { readForeignText } from "../core/input.ts";

/** An entry's state when the file and the server were last equal. `text` is a hash. */
export interface SeenEntry {
  readonly text: string | undefined;
  readonly sortOrder: number | undefined;
  /** The id in the file if it differs from the id on this server. */
  readonly fileId?: string | undefined;
  /** The hashes of the translations, by language. */
  readonly translations?: Readonly<Record<string, string>> | undefined;
}

/** The stored state for a server and an app. The keys of `entries` are the ids on that server. */
export interface SeenState {
  readonly server: string | undefined;
  readonly app: string | undefined;
  readonly entries: ReadonlyMap<string, SeenEntry>;
}

/** The functions that read and write the stored states of a folder or of a list file. */
export interface StateFile {
  read(): Promise<readonly SeenState[]>;
  /** Returns whether the file changed. */
  write(states: readonly SeenState[]): Promise<boolean>;
}

/** Returns the functions for the stored states of the folder or the list file at `path`. */
export function stateFileOf(path: string, isList: boolean): StateFile {
  const place = statePlaceOf(path, isList);
  return { read: () => readStates(place), write: (states) => writeStates(place, states) };
}

const fileName = ".innkeep-faq.json";

/** The place of a state: its file, and its key in that file. */
interface StatePlace {
  readonly file: string;
  readonly name: string;
}

const statePlaceOf = (path: string, isList: boolean): StatePlace =>
  isList
    ? { file: join(dirname(path), fileName), name: basename(path) }
    : { file: join(path, fileName), name: "." };

/** Reads the states of all servers and apps. Throws a usage error if the file is damaged. */
async function readStates({ file, name }: StatePlace): Promise<readonly SeenState[]> {
  const states = valueAt(await readStateFile(file), name);
  // An older version stored one state, not a list.
  return states === undefined ? [] : [states].flat().map(stateIn);
}

function stateIn(state: unknown): SeenState {
  const entries = Object.entries(fieldsOf(valueAt(state, "entries"))).map(
    ([id, entry]) => [id.toLowerCase(), seenIn(entry)] as const,
  );
  return { server: stateField(state, "server"), app: stateField(state, "app"), entries: new Map(entries) };
}

/** Stores the states, with one entry per line so that Git can merge. Returns whether the file changed. */
async function writeStates({ file, name }: StatePlace, states: readonly SeenState[]): Promise<boolean> {
  const all = fieldsOf(await readStateFile(file));
  const shown = states.map(shownOf);
  const text = stateFileText({ ...all, [name]: shown.length === 1 ? shown[0] : shown });
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

function stateFileText(lists: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(lists).map(([name, list]) => {
    const shown = Array.isArray(list) ? `[${list.map(textOfState).join(", ")}]` : textOfState(list);
    return `  ${JSON.stringify(name)}: ${shown}`;
  });
  return `{\n${parts.join(",\n")}\n}\n`;
}

function textOfState(state: unknown): string {
  const { entries, ...head } = fieldsOf(state);
  const heads = Object.entries(head).filter(([, value]) => value !== undefined);
  const lines = Object.entries(fieldsOf(entries)).map(
    ([id, entry]) => `      ${JSON.stringify(id)}: ${JSON.stringify(entry)}`,
  );
  const shown = heads
    .map(([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)},\n`)
    .join("");
  const body = lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n    }`;
  return `{\n${shown}    "entries": ${body}\n  }`;
}

async function readStateFile(file: string): Promise<unknown> {
  // A stranger's repository may contain a link to any file, so innkeep must not write to a link.
  const found = await lstat(file).catch(() => undefined);
  if (found && !found.isFile())
    throw usageError(`${file} is a link, or is not a file.`, "Delete it and run `innkeep faq pull`.");
  const text = readForeignText(file, file, limits.faqList);
  if (text === undefined) return {};
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw usageError(
      `${file} is damaged, perhaps by a merge.`,
      "Choose one version of the text in the merge, or delete the file, and run `innkeep faq pull`.",
    );
  }
}

const seenIn = (entry: unknown): SeenEntry => {
  const sortOrder = valueAt(entry, "sortOrder");
  return {
    text: stateField(entry, "text"),
    sortOrder: typeof sortOrder === "number" ? sortOrder : undefined,
    fileId: stateField(entry, "fileId")?.toLowerCase(),
    translations: hashesIn(valueAt(entry, "translations")),
  };
};

function hashesIn(value: unknown): Readonly<Record<string, string>> | undefined {
  const hashes = Object.entries(fieldsOf(value)).flatMap(([language, hash]) =>
    typeof hash === "string" && canonicalLanguage(language) === language ? [[language, hash] as const] : [],
  );
  return hashes.length === 0 ? undefined : Object.fromEntries(hashes);
}

function stateField(value: unknown, name: string): string | undefined {
  const text = valueAt(value, name);
  return typeof text === "string" ? text : undefined;
}
