import { oneLine, visibleText } from "../../../src/words/visible.ts";

/** A text as one line of a header: without line breaks and characters that nobody sees. (rule M3) */
export const headerText = (text: string, most: number): string => oneLine(text, most);

/** The text of a mail: line feeds, tabs, and nothing else that nobody sees. (rule M3) */
export const bodyText = (text: string): string => `${visibleText(text).text.trim()}\n`;
