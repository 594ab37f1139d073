// The form of a link to a sender's page, also inside another address. A token has 50 characters.
const link = /((?:\/|%2F)p(?:\/|%2F)t(?:\/|%2F))[\w-]{50}/gi;

/**
 * A text without the tokens of sender's pages, which mail programs quote and people paste: who reads the thread must not get them.
 * (rule M8)
 */
export const withoutSenderLinks = (text: string): string => text.replace(link, "$1…");
