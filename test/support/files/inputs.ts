import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The path of a small input as another tool writes it. */
export const inputPath = (name: string): string => join(import.meta.dirname, "../../inputs", name);

export const inputText = (name: string): Promise<string> => readFile(inputPath(name), "utf8");
