import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFoldersOf } from "./contents.mjs";

/** Writes these notices and the licences of all packages that are inside the bundles to `file`. */
export async function writeNotices(file, bundles, ...others) {
  const notices = await Promise.all(packageFoldersOf(bundles).map(noticeOf));
  await writeFile(file, [...others, ...notices].join(`\n${"-".repeat(80)}\n\n`));
}

async function noticeOf(folder) {
  const { name, version: its, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return [`${name} ${its} (${license})\n`, ...texts].join("\n");
}
