import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

/**
 * Makes a built program of ASCII, because Node reads and starts it in a fraction of the time. The bundler has left only the
 * characters in regular expressions, where an escape means the same. Then writes a hash at the end, by which the machine
 * code of the file is found.
 */
export async function finishProgram(file) {
  const built = await readFile(file, "utf8");
  const ascii = built.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  await writeFile(file, `${ascii}//${hash("sha256", ascii)}`);
}
