/** What can prevent the erasure of a person. */
interface Obstacles {
  /** Whether the address belongs to the person who asks for the erasure. */
  readonly own: boolean;
  /** The apps of which the person is a member. */
  readonly memberOf: readonly string[];
  /** The apps in whose tests the person has a slot, except tests that are over. */
  readonly testerOf: readonly string[];
}

/**
 * Returns a sentence that says why a person cannot be erased now, or undefined if this is possible. (rule P5)
 */
export function erasureRefusal({ own, memberOf, testerOf }: Obstacles): string | undefined {
  if (own) return "This is your own address. To delete your account, go to Your account.";
  if (memberOf.length > 0)
    return `This person is a member of ${memberOf.join(", ")}. Remove the member first.`;
  if (testerOf.length > 0)
    return `This person tests ${testerOf.join(", ")} now. Remove the tester, or wait until the test is over.`;
  return undefined;
}

/** What can prevent the deletion of an account. */
interface AccountObstacles {
  /** The apps of which the person is the only owner. */
  readonly onlyOwnerOf: readonly string[];
  /** The apps in whose tests the person has a slot, except tests that are over. */
  readonly testerOf: readonly string[];
}

/**
 * Returns a sentence that says why an account cannot be deleted now, or undefined if this is possible. (rule P8)
 */
export function accountRefusal({ onlyOwnerOf, testerOf }: AccountObstacles): string | undefined {
  if (onlyOwnerOf.length > 0)
    return `${onlyOwnerOf.join(", ")} would have no owner. First make another member an owner, or delete the app.`;
  if (testerOf.length > 0)
    return `This account has a slot in a test of ${testerOf.join(", ")}. Ask an owner of that app to remove the tester, or wait until the test is over.`;
  return undefined;
}

/** The text that replaces an erased address. */
export const erasedMark = "[erased]";

/** Functions that find and replace the e-mail address of one person in texts. (rule P4) */
export interface AddressFinder {
  /** The normalised address. */
  readonly address: string;
  /** Parts of the address in lower case. The database first searches for texts that contain all parts. */
  readonly parts: readonly string[];
  isIn(text: string | null): boolean;
  /** Replaces each occurrence of the address in a text with `erasedMark`. */
  erase(text: string): string;
  /**
   * Whether a name that a program created contains the address. Other characters may be directly before or after the
   * address.
   */
  isInName(text: string | null): boolean;
  eraseInName(text: string): string;
  /** Does the same as `erase` in all names and values of JSON. Treats other text as plain text. */
  eraseJson(json: string): string;
}

// A part of a longer address is not a match. For example, "joann@x.org" and "ann@x.org.uk" do not count as "ann@x.org".
const before = String.raw`(?:(?<=%(?!2[bde]|5f)[0-9a-f]{2})|(?<![\p{L}\p{N}_%+-])(?<![\p{L}\p{N}_%+-]\.))`;

const after = String.raw`(?![\p{L}\p{N}_]|(?:[.-]|%2[de])[\p{L}\p{N}])`;

/**
 * Takes a normalised address. Returns functions that find the address in lower or upper case, plain or
 * percent-encoded.
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

/** Matches a character, plain or percent-encoded. For example, a URL contains `%2B` for a plus sign. */
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

/** How many positions before an `@` are tried as the beginning of an address. */
const mostStarts = 16;

/** How many positions after an `@` are tried as the end of an address. */
const mostEnds = 8;

/** How many characters before and after an `@` may belong to an address. */
const longestSide = 256;

const at = /@|%40/giu;

// These patterns must find the beginning and the end of an address at the same positions as `findAddress` does.
const domain = /^[\p{L}\p{N}\p{M}_.-]+/u;

const continues = /^(?:[\p{L}\p{N}_]|[.-][\p{L}\p{N}])/u;

const local = /[^\s@]+$/u;

const addressCharacter = /[\p{L}\p{N}\p{M}_%+-]/u;

/** Returns every address in a text, in lower case. May also return other texts, which match no stored hash. */
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

/** Returns the result of `addressesIn` for all names and values of JSON. */
export function addressesInJson(json: string): string[] {
  try {
    return [...new Set(stringsIn(JSON.parse(json)).flatMap(addressesIn))];
  } catch {
    return addressesIn(json);
  }
}

/** Takes the text before an `@`. Returns each ending of the text that may be the beginning of an address. */
function beginnings(text: string): string[] {
  const characters = [...text];
  return characters
    .map((_, place) => place)
    .filter((place) => !isJoined(characters, place))
    .slice(-mostStarts)
    .map((place) => characters.slice(place).join(""));
}

/** Takes the text after an `@`. Returns each beginning of the text that may be the end of an address. */
function endings(text: string): string[] {
  const run = domain.exec(text)?.[0] ?? "";
  return Array.from({ length: run.length }, (_, place) => run.slice(0, place + 1))
    .filter((end) => !continues.test(text.slice(end.length)))
    .slice(0, mostEnds);
}

/** Whether the character before `place` could belong to the address that continues at `place`. */
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
