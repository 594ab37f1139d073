/** The most places at which an address before one `@` may begin. */
const mostBeginnings = 16;
/** The most places at which an address after one `@` may end. */
const mostEnds = 8;
/** The most characters on a side of an `@` that may belong to an address. */
const longestSide = 256;

const at = /@|%40/giu;
// The places where an address ends and begins are those of `findAddress`.
const domain = /^[\p{L}\p{N}\p{M}_.-]+/u;
const goesOn = /^(?:[\p{L}\p{N}_]|[.-][\p{L}\p{N}])/u;
const local = /[^\s@]+$/u;
const joins = /[\p{L}\p{N}\p{M}_%+-]/u;

/**
 * Every address that `findAddress` could find in a text, in lower case. It may give others, too: the caller
 * compares hashes of addresses, so a wrong one matches no hash.
 */
export function addressesIn(text: string): string[] {
  const found = new Set<string>();
  for (const { index, 0: sign } of text.matchAll(at)) {
    const after = text.slice(index + sign.length).slice(0, longestSide);
    const before = local.exec(text.slice(Math.max(0, index - longestSide), index))?.[0] ?? "";
    const ends = endings(after);
    for (const begin of beginnings(before)) for (const end of ends) found.add(normalised(`${begin}@${end}`));
  }
  return [...found];
}

/** The same for JSON: in names and values. */
export function addressesInJson(json: string): string[] {
  try {
    return [...new Set(stringsIn(JSON.parse(json)).flatMap(addressesIn))];
  } catch {
    return addressesIn(json);
  }
}

/** The ends of a text that may be the part of an address before the `@`. */
function beginnings(text: string): string[] {
  const characters = [...text];
  return characters
    .map((_, place) => place)
    .filter((place) => !isJoined(characters, place))
    .slice(-mostBeginnings)
    .map((place) => characters.slice(place).join(""));
}

/** The beginnings of a text that may be the part of an address after the `@`. */
function endings(text: string): string[] {
  const run = domain.exec(text)?.[0] ?? "";
  return Array.from({ length: run.length }, (_, place) => run.slice(0, place + 1))
    .filter((end) => !goesOn.test(text.slice(end.length)))
    .slice(0, mostEnds);
}

/** Whether what stands before a place could be a part of the address. */
function isJoined(characters: readonly string[], place: number): boolean {
  const [last, earlier] = [characters[place - 1] ?? "", characters[place - 2] ?? ""];
  const percent = characters.slice(Math.max(0, place - 3), place).join("");
  if (/^%(?!2[bde]|5f)[0-9a-f]{2}$/i.test(percent)) return false;
  return joins.test(last) || (last === "." && joins.test(earlier));
}

const normalised = (address: string): string => address.normalize("NFC").toLowerCase().normalize("NFC");

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [name, ...stringsIn(one)]);
}
