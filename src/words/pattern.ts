/**
 * Returns the source of a pattern that matches exactly this text, with any flags of a regular expression. The source is
 * not for a place inside a character class.
 */
export const patternOfText = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
