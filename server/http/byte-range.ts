import type { ByteSpan } from "../files/files.ts";

/**
 * What a Range header requests of `size` bytes: one span, "unsatisfiable", or undefined if the whole file is the answer
 * (no header, a malformed one, another unit, or several ranges). (RFC 9110, 14.2)
 */
export function parseByteRange(
  header: string | undefined,
  size: number,
): ByteSpan | "unsatisfiable" | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || first + last === "") return undefined;
  if (first === "") return spanOf(Math.max(0, size - Number(last)), size - 1);
  if (last !== "" && Number(last) < Number(first)) return undefined;
  return spanOf(Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1));
}

const spanOf = (start: number, end: number) => (start <= end ? { start, end } : "unsatisfiable");
