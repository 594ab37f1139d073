import { cleanFileName } from "../domain/file-name.ts";

/**
 * A Content-Disposition header for any file name: an ASCII name for every reader, and where that loses something the
 * full one as RFC 8187 says. No name can break out of the header or of its quotes.
 */
export function contentDisposition(kind: "inline" | "attachment", fileName: string): string {
  const name = cleanFileName(fileName, "file");
  const ascii = name
    .normalize("NFC")
    .replace(/[^ -~]/gu, "_")
    .replace(/["\\%;]/g, "_");
  const full = ascii === name ? "" : `; filename*=UTF-8''${encodeExtended(name)}`;
  return `${kind}; filename="${ascii}"${full}`;
}

// What encodeURIComponent leaves alone although RFC 8187 does not.
const encodeExtended = (text: string) =>
  encodeURIComponent(text).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
