import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The languages of the App Store in fastlane (`FastlaneCore::Languages`), and the folder for all of them. */
const languages = [
  ..."ca cs da de-DE el en-AU en-CA en-GB en-US es-ES es-MX fi fr-CA fr-FR hi hr hu id it ja ko ms nl-NL no pl".split(
    " ",
  ),
  ..."pt-BR pt-PT ro ru sk sv th tr uk vi zh-Hans zh-Hant default".split(" "),
];

/** Other folders, which `deliver` ignores. */
const others = [
  "appletv",
  "imessage",
  "android",
  "review_information",
  "trade_representative_contact_information",
];

const isFolderOf = (names: readonly string[], name: string): boolean =>
  names.some((one) => one.toLowerCase() === name.toLowerCase());

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

const textAt = (path: string): Promise<string | undefined> => readFile(path, "utf8").catch(() => undefined);

/**
 * The release notes that `deliver` uploads, by language: `release_notes.txt` in each folder of a language. Throws for a
 * folder that is not one of a language, and for a text that the App Store refuses.
 */
export async function deliverNotes(metadata: string): Promise<Record<string, string>> {
  const names = await foldersIn(metadata);
  const unknown = names.filter((name) => !isFolderOf([...languages, ...others], name));
  if (unknown.length > 0) throw new Error(`Unsupported directory name(s): ${unknown.join(", ")}`);
  const found: Record<string, string> = {};
  for (const name of names.filter((one) => isFolderOf(languages, one))) {
    const text = (await textAt(join(metadata, name, "release_notes.txt")))?.trim();
    if (text !== undefined && [...text].length > 4_000) throw new Error("What's New is too long.");
    if (text !== undefined) found[name] = text;
  }
  return found;
}

/**
 * What `supply` uploads for builds, by language: `changelogs/<version code>.txt`, else `changelogs/default.txt`, byte for byte.
 * Throws for a text that Google Play refuses.
 */
export async function supplyNotes(
  metadata: string,
  builds: readonly number[],
): Promise<Record<string, Record<number, string>>> {
  const found: Record<string, Record<number, string>> = {};
  for (const language of (await foldersIn(metadata)).filter((name) => !name.startsWith("."))) {
    const texts: Record<number, string> = {};
    for (const build of builds) {
      const folder = join(metadata, language, "changelogs");
      const text =
        (await textAt(join(folder, `${build}.txt`))) ?? (await textAt(join(folder, "default.txt"))) ?? "";
      if ([...text].length > 500) throw new Error("Release notes are too long.");
      texts[build] = text;
    }
    found[language] = texts;
  }
  return found;
}
