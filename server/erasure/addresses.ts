/** The text that replaces an erased address. */
export const erasedMark = "[erased]";

/** Functions that find the e-mail address of one person in texts, and replace the address. (rule P4) */
export interface AddressFinder {
  /** The normalised address. */
  readonly address: string;
  /**
   * Parts of the address in lower case. Every text with the address contains all these parts, in small or capital
   * letters. So the database can search for the parts before the text is checked exactly.
   */
  readonly parts: readonly string[];
  isIn(text: string | null): boolean;
  /** Returns the text, with `erasedMark` in place of each occurrence of the address. */
  erase(text: string): string;
  /**
   * The same as `isIn`, for names that programs created. In such a name, other words may be directly before or after
   * the address.
   */
  isInName(text: string | null): boolean;
  eraseInName(text: string): string;
  /** The same as `erase`, for the names and values of JSON. A text that is not JSON is treated as plain text. */
  eraseJson(json: string): string;
}

// A part of a longer address is not a match: "ann@x.org" is neither in "joann@x.org" nor in "ann@x.org.uk".
const before = String.raw`(?:(?<=%(?!2[bde]|5f)[0-9a-f]{2})|(?<![\p{L}\p{N}_%+-])(?<![\p{L}\p{N}_%+-]\.))`;

const after = String.raw`(?![\p{L}\p{N}_]|(?:[.-]|%2[de])[\p{L}\p{N}])`;

/**
 * Returns the finder for an address. `email` must be normalised. The functions find the address in small and capital
 * letters, and also percent-encoded, as it is in the query of a URL.
 */
export function findAddress(email: string): AddressFinder {
  const spellings = [
    ...new Set([email, email.toUpperCase()].flatMap((one) => [one.normalize("NFC"), one.normalize("NFD")])),
  ].map((spelling) => spelling.replace(/[^a-z0-9]/giu, plainOrEncoded));
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
      return value === undefined ? erase(json) : JSON.stringify(eraseInJson(value.json, erase));
    },
  };
}

/**
 * Returns a pattern that matches a character, plain or percent-encoded. A plus sign is matched only as `%2B` in the
 * query of a URL.
 */
const plainOrEncoded = (character: string): string =>
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

function eraseInJson(value: unknown, erase: (text: string) => string): unknown {
  if (typeof value === "string") return erase(value);
  if (Array.isArray(value)) return value.map((one) => eraseInJson(one, erase));
  if (typeof value !== "object" || value === null) return value;
  const names = new Set<string>();
  const entries = Object.entries(value).map(([name, one]) => {
    let erased = erase(name);
    while (names.has(erased)) erased += "*";
    names.add(erased);
    return [erased, eraseInJson(one, erase)] as const;
  });
  return Object.fromEntries(entries);
}

/** How many positions before one `@` are tried as the beginning of an address. */
const mostStarts = 16;

/** How many positions after one `@` are tried as the end of an address. */
const mostEnds = 8;

/** How many characters on a side of an `@` may belong to an address. */
const longestSide = 256;

const at = /@|%40/giu;

// These patterns must find the same beginnings and ends of addresses as `findAddress`.
const domain = /^[\p{L}\p{N}\p{M}_.-]+/u;

const continues = /^(?:[\p{L}\p{N}_]|[.-][\p{L}\p{N}])/u;

const local = /[^\s@]+$/u;

const addressCharacter = /[\p{L}\p{N}\p{M}_%+-]/u;

/**
 * Returns every address that `findAddress` could find in a text, in lower case. It may return other texts, too. This is
 * not a problem, because the caller compares the hashes of the results with hashes of addresses, and a wrong text does
 * not match.
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

/** The same as `addressesIn`, for the names and values of JSON. */
export function addressesInJson(json: string): string[] {
  try {
    return [...new Set(stringsIn(JSON.parse(json)).flatMap(addressesIn))];
  } catch {
    return addressesIn(json);
  }
}

/** Returns the endings of a text that may be the part of an address before the `@`. */
function beginnings(text: string): string[] {
  const characters = [...text];
  return characters
    .map((_, place) => place)
    .filter((place) => !isJoined(characters, place))
    .slice(-mostStarts)
    .map((place) => characters.slice(place).join(""));
}

/** Returns the beginnings of a text that may be the part of an address after the `@`. */
function endings(text: string): string[] {
  const run = domain.exec(text)?.[0] ?? "";
  return Array.from({ length: run.length }, (_, place) => run.slice(0, place + 1))
    .filter((end) => !continues.test(text.slice(end.length)))
    .slice(0, mostEnds);
}

/** Whether the character before a position could be a part of the same address. */
function isJoined(characters: readonly string[], place: number): boolean {
  const [last, earlier] = [characters[place - 1] ?? "", characters[place - 2] ?? ""];
  const percent = characters.slice(Math.max(0, place - 3), place).join("");
  if (/^%(?!2[bde]|5f)[0-9a-f]{2}$/i.test(percent)) return false;
  return addressCharacter.test(last) || (last === "." && addressCharacter.test(earlier));
}

const normalised = (address: string): string => address.normalize("NFC").toLowerCase().normalize("NFC");

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [name, ...stringsIn(one)]);
}
