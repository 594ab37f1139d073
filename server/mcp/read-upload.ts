import { buffer } from "node:stream/consumers";
import type { ToolCaller } from "../../src/programs.ts";
import type { Files } from "../files/files.ts";
import type { ServedFile } from "../http/serve-file.ts";

/** Makes a function that reads the bytes of an uploaded file, by the name under which it is served. */
export function createReadUpload(
  find: (name: string) => Promise<Pick<ServedFile, "sha256" | "size"> | undefined>,
  files: Pick<Files, "open" | "size">,
): ToolCaller["readUpload"] {
  return async (name, most) => {
    const file = await find(name);
    if (!file || (await files.size(file.sha256)) !== file.size) return undefined;
    return file.size > most ? "too large" : buffer(await files.open(file.sha256));
  };
}
