import { cleanFileName } from "../files/file-names.ts";

/**
 * Gives a Content-Disposition header for any file name: an ASCII name for every reader, and the full name in the form of
 * RFC 8187 if the ASCII name loses something. No name can end the header or its quotes early.
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

// encodeURIComponent leaves these characters as they are, but RFC 8187 does not allow them.
const encodeExtended = (text: string) =>
  encodeURIComponent(text).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
