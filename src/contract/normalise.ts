/**
 * Returns the text in a normal form of Unicode. Needs only time in proportion to the length of the text. `normalize`
 * alone sorts each run of marks, and needs minutes for a text of many marks. So a longer run is normalised in parts.
 * Texts of people have at most a few marks in a row.
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
