/**
 * Returns the text in a normal form of Unicode. The built-in `normalize` sorts each sequence of consecutive
 * marks, and needs minutes for a very long sequence. So this function normalises a sequence in parts of 30
 * marks, and the time is proportional to the length of the text. Text that people write has only a few
 * consecutive marks.
 */
export const normalised = (text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string =>
  text
    .split(manyMarks)
    .map((part) => part.normalize(form))
    .join("");

/**
 * Matches 30 marks, the most that the stream-safe text format of Unicode (UAX 15) allows in a row. U+FF9E and U+FF9F are
 * letters, but their forms NFKC and NFKD are marks.
 */
const manyMarks = /([\p{M}\uff9e\uff9f]{30})/u;
