import { pairsIn, wordsIn } from "../search/rules.ts";

/** A word of a thread: `word` as in the search index, `written` as in the thread. */
export interface OwnWord {
  readonly word: string;
  readonly written: string;
}

/** The maximum number of words of a thread that are searched for in other threads. */
const mostWords = 24;

const fewestLetters = 4;

/** Returns the words to search for in other threads, the most important first. */
export function tellingWords({
  subject,
  message,
}: {
  readonly subject: string;
  readonly message: string;
}): OwnWord[] {
  const found = new Map<string, OwnWord & { readonly value: number }>();
  for (const [text, bonus] of [
    [subject, 4],
    [message, 0],
  ] as const)
    for (const { word, start, end, isRun } of wordsIn(text)) {
      const written = text.slice(start, end);
      // For scripts without spaces between words, the index contains pairs of adjacent letters.
      const words = isRun ? pairsIn(word).filter((pair) => [...pair].length === 2) : [word];
      for (const one of words) {
        if ((!isRun && one.length < fewestLetters) || found.has(one)) continue;
        const digits = /\p{N}/u.test(one) && /\p{L}/u.test(one) ? 4 : 0;
        found.set(one, {
          word: one,
          written: isRun ? one : written,
          value: bonus + digits + Math.min(12, one.length),
        });
      }
    }
  return [...found.values()]
    .sort((one, other) => other.value - one.value)
    .slice(0, mostWords)
    .map(({ word, written }) => ({ word, written }));
}

/** A word is rare if at most this number of threads of the app have it. */
export const mostWithWord = 60;

/** A word, and the `seq` of the newest threads that have it. */
export interface FoundWord extends OwnWord {
  readonly seqs: readonly number[];
}

export interface Similar {
  readonly seq: number;
  readonly shared: readonly string[];
}

/** The result has at most `mostSimilar` threads, and at most `mostNamed` shared words for each thread. */
const mostSimilar = 3;
const mostNamed = 5;

/**
 * The words that a similar thread shares must weigh at least a third of the `mostTelling` rarest words of
 * `own`.
 */
const mostTelling = 8;

/** In an app with fewer threads, a rare word may be in more than a third of the threads. */
const fewThreads = 12;

/**
 * Returns the most similar threads. They share at least two rare words with the thread `own`. `total` counts
 * the app's threads. (rule F76)
 */
export function similarThreads(
  words: readonly FoundWord[],
  { own, total }: { readonly own: number; readonly total: number },
): Similar[] {
  const isRare = ({ seqs }: FoundWord) =>
    seqs.length <= mostWithWord && (total < fewThreads || seqs.length * 3 <= total);
  const weighed = words
    .filter(isRare)
    .map(({ seqs, written }) => ({ seqs, written, weight: Math.log((total + 1) / Math.max(1, seqs.length)) }))
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight);
  const telling = weighed.slice(0, mostTelling).reduce((sum, { weight }) => sum + weight, 0);
  const scores = new Map<number, { readonly weight: number; readonly shared: string[] }>();
  for (const { seqs, written, weight } of weighed)
    for (const seq of seqs) {
      const known = scores.get(seq) ?? { weight: 0, shared: [] };
      known.shared.push(written);
      scores.set(seq, { weight: known.weight + weight, shared: known.shared });
    }
  return [...scores]
    .filter(([seq, { weight, shared }]) => seq !== own && shared.length >= 2 && weight * 3 >= telling)
    .sort(([seq, one], [otherSeq, other]) => other.weight - one.weight || otherSeq - seq)
    .slice(0, mostSimilar)
    .map(([seq, { shared }]) => ({ seq, shared: shared.slice(0, mostNamed) }));
}
