// The form of a link to a sender's page, also inside another address, as programs that check links write it. A token has 50
// characters, fewer where a text was cut.
const link =
  /((?:\/|%(?:25){0,3}2F)p(?:\/|%(?:25){0,3}2F)t(?:\/|%(?:25){0,3}2F))[\w-]{20,}|(_p_t_)[\w-]{50,}/gi;

/**
 * A text without the tokens of sender's pages, which mail programs quote and people paste: who reads the thread must not get them.
 * (rule M8)
 */
export const withoutSenderLinks = (text: string): string => text.replace(link, "$1$2…");
