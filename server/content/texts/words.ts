/** Whether an FAQ entry or a release note has all words of a search in its texts. The words are in lower case. */
export const hasWords = (texts: readonly string[], words: readonly string[]): boolean => {
  const text = texts.join("\n").toLowerCase().normalize("NFC");
  return words.every((word) => text.includes(word));
};

/** Returns the words of a search. Each word occurs once in the list. */
export const wordsOf = (query: string): readonly string[] => [
  ...new Set(
    query
      .toLowerCase()
      .normalize("NFC")
      .split(/\s+/)
      .filter((word) => word !== ""),
  ),
];
