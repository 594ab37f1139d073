/**
 * Returns the key of a tag's name. Names with the same key belong to the same tag. The key does not depend on upper or
 * lower case or on invisible joiners. (rule F30)
 */
export const tagKeyOf = (name: string): string =>
  name
    .normalize("NFC")
    .replace(/\u200C|\u200D|\uFE0E|\uFE0F/g, "")
    .replace(/\s+/gu, " ")
    .trim()
    .toLowerCase()
    .normalize("NFC");

/** Returns the names in a list that is separated by commas, as filters use it. */
export const tagNamesIn = (list: string): string[] => list.split(",").filter((name) => name.trim() !== "");
