/** The alphabets in which words are corrected. In other scripts a letter has too many neighbours. */
const alphabets: readonly (readonly [script: RegExp, letters: string])[] = [
  [/^[a-z]+$/, "abcdefghijklmnopqrstuvwxyz"],
  [/^\p{Script=Cyrillic}+$/u, "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґў"],
  [/^\p{Script=Greek}+$/u, "αβγδεζηθικλμνξοπρστυφχψω"],
  [/^\p{Script=Arabic}+$/u, "ابتثجحخدذرزسشصضطظعغفقكلمنهويءپچژگ"],
  [/^\p{Script=Hebrew}+$/u, "אבגדהוזחטיכלמנסעפצקרשתםןץףך"],
];

/** The fewest letters of a word that is corrected: shorter words have too many neighbours. */
const fewestLetters = 4;

const mostLetters = 24;

/**
 * Returns all words at the distance 1 from a word: two neighbours change places, or one letter is missing, added or
 * another one. Earlier words are more likely. Empty for words that are not corrected. (rule F59)
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
