/**
 * What two names of one tag have in common: case, and joiners that a reader does not see, are no difference.
 * (rule F30)
 */
export const tagKeyOf = (name: string): string =>
  name
    .normalize("NFC")
    .replace(/\u200C|\u200D|\uFE0E|\uFE0F/g, "")
    .replace(/\s+/gu, " ")
    .trim()
    .toLowerCase()
    .normalize("NFC");

/** The names in a list with commas between them, as a filter has it. */
export const tagNamesIn = (list: string): string[] => list.split(",").filter((name) => name.trim() !== "");
