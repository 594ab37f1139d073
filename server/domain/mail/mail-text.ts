// Bidirectional controls and tags could make a header show something else than it says.
const deceiving = /[\u200E\u200F\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;

/** A text as one line of a header: without line breaks, control characters and marks that change the direction. (rule M3) */
export function headerText(text: string, most: number): string {
  const line = text
    .replace(deceiving, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  const characters = [...line];
  return characters.length <= most
    ? line
    : `${characters
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`;
}

/** The text of a mail: line feeds, and no other control characters but tabs. (rule M3) */
export const bodyText = (text: string): string =>
  `${text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .replace(deceiving, "")
    .trim()}\n`;
