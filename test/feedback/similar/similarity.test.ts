import { describe, expect, it } from "vitest";
import { mostWithWord, similarThreads, tellingWords } from "../../../server/feedback/similar/rules.ts";

const found = (words: Readonly<Record<string, readonly number[]>>) =>
  Object.entries(words).map(([word, seqs]) => ({ word, written: word, seqs }));
const many = (count: number) => Array.from({ length: count }, (_, at) => at + 100);
const seqsOf = (words: Parameters<typeof found>[0], total = 1_000) =>
  similarThreads(found(words), { own: 1, total }).map(({ seq }) => seq);

describe("the words that decide whether threads are similar", () => {
  it("have four letters or more, and words of the subject and words with digits come first", () => {
    const words = tellingWords({
      subject: "Oven is hot",
      message: "The E404x oven blinks and the fan is off",
    });
    expect(words.map(({ word }) => word)).toEqual(["e404x", "oven", "blinks"]);
    expect(words[1]?.written).toBe("Oven");
  });

  it("are at most 24 different words", () => {
    const message = Array.from({ length: 60 }, (_, at) => `word${at} word${at}`).join(" ");
    expect(tellingWords({ subject: "", message })).toHaveLength(24);
  });
});

describe("two similar threads", () => {
  it("share at least two rare words", () => {
    expect(seqsOf({ oven: [1, 2, 3], blinks: [1, 2] })).toEqual([2]);
    expect(seqsOf({ oven: [1, 2] })).toEqual([]);
  });

  it("do not share only words that many threads have", () => {
    const common = [1, 2, ...many(mostWithWord)];
    expect(seqsOf({ please: common, thanks: common })).toEqual([]);
    expect(seqsOf({ oven: [1, 2, 3, 4, 5], blinks: [1, 2, 3, 4, 5] }, 14)).toEqual([]);
  });

  it("share at least a third of the rare words of the thread", () => {
    const own = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`own${at}`, [1]]));
    expect(seqsOf({ ...own, oven: [1, 2], blinks: [1, 2] })).toEqual([]);
    expect(seqsOf({ own0: [1], oven: [1, 2], blinks: [1, 2] })).toEqual([2]);
  });

  it("are among the three with the highest weight; of equal threads, the newest come first", () => {
    const all = [1, 2, 3, 4, 5];
    expect(seqsOf({ oven: all, blinks: all, hisses: [1, 3] })).toEqual([3, 5, 4]);
  });
});
