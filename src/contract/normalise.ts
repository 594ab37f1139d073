/**
 * Returns the text in a normal form of Unicode. The time is proportional to the length of the text. `normalize`
 * alone sorts all marks in a row, and needs minutes for a text of many marks. So a sequence of more than 30
 * marks is normalised in parts. Texts of people have at most a few marks in a row.
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
