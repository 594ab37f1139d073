/** The alphabets in which words are corrected. Other scripts have too many letters for that. */
const alphabets: readonly (readonly [script: RegExp, letters: string])[] = [
  [/^[a-z]+$/, "abcdefghijklmnopqrstuvwxyz"],
  [/^\p{Script=Cyrillic}+$/u, "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґў"],
  [/^\p{Script=Greek}+$/u, "αβγδεζηθικλμνξοπρστυφχψω"],
  [/^\p{Script=Arabic}+$/u, "ابتثجحخدذرزسشصضطظعغفقكلمنهويءپچژگ"],
  [/^\p{Script=Hebrew}+$/u, "אבגדהוזחטיכלמנסעפצקרשתםןץףך"],
];

/** Words with fewer letters are not corrected, because too many other words are similar to them. */
const fewestLetters = 4;

const mostLetters = 24;

/**
 * Returns all words at distance 1 from a word: with two adjacent letters swapped, or with one letter removed, added or
 * replaced. The more likely words come first. The list is empty for a word that is not corrected. (rule F59)
 */
export function neighboursOf(word: string): string[] {
  const letters = [...word];
  const alphabet = alphabets.find(([script]) => script.test(word))?.[1];
  if (alphabet === undefined || letters.length < fewestLetters || letters.length > mostLetters) return [];
  const places = [...letters.keys()];
  const swapped = places.map((at) => changed(letters, at, 2, [letters[at + 1] ?? "", letters[at] ?? ""]));
  const shorter = places.map((at) => changed(letters, at, 1, []));
  const longer = [...places, letters.length].flatMap((at) =>
    [...alphabet].map((letter) => changed(letters, at, 0, [letter])),
  );
  const other = places.flatMap((at) => [...alphabet].map((letter) => changed(letters, at, 1, [letter])));
  return [...new Set([...swapped, ...shorter, ...longer, ...other])].filter((one) => one !== word);
}

const changed = (letters: readonly string[], at: number, count: number, by: readonly string[]): string =>
  [...letters.slice(0, at), ...by, ...letters.slice(at + count)].join("");
