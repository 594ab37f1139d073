/** What stands in place of an erased address. */
export const erasedMark = "[erased]";

/** Finds one person's address in texts, and takes it out. (rule P4) */
export interface AddressFinder {
  /** The address itself. */
  readonly address: string;
  /** Parts of the address that are written in one way only but for their case: each text with the address has all of them. */
  readonly parts: readonly string[];
  isIn(text: string | null): boolean;
  /** The text with a mark in place of each occurrence. */
  erase(text: string): string;
  /** The same for names that programs made: there the address may be joined to other words. */
  isInName(text: string | null): boolean;
  eraseInName(text: string): string;
  /** The same for JSON, in names and values. A text that is no JSON is treated as a text. */
  eraseJson(json: string): string;
}

// An address ends where no longer one could go on: "ann@x.org" is not in "joann@x.org" and not in "ann@x.org.uk".
const before = String.raw`(?:(?<=%(?!2[bde]|5f)[0-9a-f]{2})|(?<![\p{L}\p{N}_%+-])(?<![\p{L}\p{N}_%+-]\.))`;

const after = String.raw`(?![\p{L}\p{N}_]|(?:[.-]|%2[de])[\p{L}\p{N}])`;

/** `email` must be normalised. It is found in any case, as it is and as it stands in the query of an address. */
export function findAddress(email: string): AddressFinder {
  const spellings = [
    ...new Set([email, email.toUpperCase()].flatMap((one) => [one.normalize("NFC"), one.normalize("NFD")])),
  ].map((spelling) => spelling.replace(/[^a-z0-9]/giu, asItMayStand));
  const anywhere = new RegExp(`(?:${spellings.join("|")})`, "giu");
  const pattern = new RegExp(`${before}${anywhere.source}${after}`, "giu");
  const erase = (text: string): string => text.replace(pattern, erasedMark);
  return {
    address: email,
    parts: email.split("@").map(longestAscii),
    isIn: (text) => text !== null && text.search(pattern) >= 0,
    erase,
    isInName: (text) => text !== null && text.search(anywhere) >= 0,
    eraseInName: (text) => text.replace(anywhere, erasedMark),
    eraseJson: (json) => {
      const value = parsed(json);
      return value === undefined ? erase(json) : JSON.stringify(inside(value.json, erase));
    },
  };
}

/** A character as it is, or as it stands in the query of an address: there a plus is always `%2B`. */
const asItMayStand = (character: string): string =>
  `(?:\\u{${character.codePointAt(0)?.toString(16)}}|${percentEncoded(character)})`;

const percentEncoded = (character: string): string =>
  [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

const longestAscii = (text: string): string =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).reduce(
    (best, run) => (run.length > best.length ? run : best),
    "",
  );

function parsed(json: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(json) };
  } catch {
    return undefined;
  }
}

function inside(value: unknown, erase: (text: string) => string): unknown {
  if (typeof value === "string") return erase(value);
  if (Array.isArray(value)) return value.map((one) => inside(one, erase));
  if (typeof value !== "object" || value === null) return value;
  const names = new Set<string>();
  const entries = Object.entries(value).map(([name, one]) => {
    let erased = erase(name);
    while (names.has(erased)) erased += "*";
    names.add(erased);
    return [erased, inside(one, erase)] as const;
  });
  return Object.fromEntries(entries);
}

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
