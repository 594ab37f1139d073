import { normalised } from "../../../src/contract/json.ts";

/**
 * Returns the key of a tag's name. Case, repeated spaces and invisible joining characters make no difference.
 * (rule F30)
 */
export const tagKeyOf = (name: string): string =>
  normalised(
    normalised(name, "NFC")
      .replace(/\u200C|\u200D|\uFE0E|\uFE0F/g, "")
      .replace(/\s+/gu, " ")
      .trim()
      .toLowerCase(),
    "NFC",
  );

/** Returns the names of tags in the value of a filter. The names are separated by commas. */
export const tagNamesIn = (list: string): string[] => list.split(",").filter((name) => name.trim() !== "");
