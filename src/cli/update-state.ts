import { join } from "node:path";
import { type FolderEnvironment, stateFolder } from "../credentials/folders.ts";
import { readIfThere, writePrivately } from "../credentials/private-file.ts";

/** What is known of newer versions. Instants are epoch milliseconds. */
export interface UpdateState {
  /** When the registry was last asked. */
  readonly askedAt: number;
  /** When the person was last told. */
  readonly toldAt: number;
  /** The newest version, as far as it is known. */
  readonly latest: string | null;
}

const fileOf = (place: FolderEnvironment): string => join(stateFolder(place), "update.json");

export function readUpdateState(place: FolderEnvironment): UpdateState {
  const text = readIfThere(fileOf(place)) ?? "{}";
  try {
    const { askedAt, toldAt, latest } = Object(JSON.parse(text));
    return {
      askedAt: typeof askedAt === "number" ? askedAt : 0,
      toldAt: typeof toldAt === "number" ? toldAt : 0,
      latest: isVersion(latest) ? latest : null,
    };
  } catch {
    return { askedAt: 0, toldAt: 0, latest: null };
  }
}

/** Throws the error of the file system. */
export const writeUpdateState = (place: FolderEnvironment, state: UpdateState, newId: () => string): void =>
  writePrivately(fileOf(place), `${JSON.stringify(state)}\n`, newId);

/** Whether a text is a version that was released. Nothing else of an answer reaches a terminal. */
export const isVersion = (text: unknown): text is string =>
  typeof text === "string" && /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(text);
