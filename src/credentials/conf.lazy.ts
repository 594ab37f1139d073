import Conf from "conf";
import { makeFolder } from "./folders.ts";

/** A file of settings: `<name>.json` in the folder. */
export interface SettingsFile {
  readonly folder: string;
  readonly name: string;
}

/** Replaces a settings file in one step. Only the owner can read the file (0600). Throws file system errors. */
export function writeSettings({ folder, name }: SettingsFile, settings: object): void {
  makeFolder(folder, 0o700);
  const file = new Conf<Record<string, unknown>>({
    cwd: folder,
    configName: name,
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
  });
  file.store = { ...settings };
}
