/** Returns the source of a pattern that matches exactly this text. Not for use inside a character class. */
export const patternOfText = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
