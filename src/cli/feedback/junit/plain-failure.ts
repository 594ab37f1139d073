import { fromTerminal, withoutTerminalCodes } from "../../../words/terminal.ts";
import { escapeSign } from "./readable-xml.ts";

const uuid = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
const address = /\b0x[0-9a-f]+\b/gi;
const instant =
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)?/g;
const clockTime = /\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?[AaPp][Mm])?\b/g;
const path = /(?:\b[A-Za-z]:)?[^\s"'`()<>[\]{},;=|]*[\\/][^\s"'`()<>[\]{},;=|]*/g;
const hexDigits = /\b(?=[0-9a-f]*\d)[0-9a-f]{7,}\b/gi;
const amount =
  /[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?(?:\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|min|mins|minutes?|hours?)\b)?/gi;

/** Text without the codes of colours and links. */
export const withoutColours = (text: string): string => withoutTerminalCodes(asWritten(text));

/** What a terminal would show of the text of a report. */
export const readable = (text: string): string => fromTerminal(asWritten(text));

const asWritten = (text: string): string => text.replaceAll(escapeSign, "\u001b");

const longestName = 2_000;

/** The name of a test without what differs from run to run: colours, ids, addresses in memory, instants. */
export const plainText = (name: string): string =>
  name.length > longestName
    ? name
    : withoutColours(name)
        .replace(uuid, "<id>")
        .replace(instant, "<time>")
        .replace(address, "<address>")
        .trim();

/**
 * The text of a failure without what differs between two runs of the same failure: colours, ids, times, addresses, paths,
 * hex digits, numbers, and the kind of white space. (rule F26)
 */
export const normalised = (text: string): string =>
  withoutColours(text)
    .replace(uuid, "<id>")
    .replace(instant, "<time>")
    .replace(clockTime, "<time>")
    .replace(path, "<path>")
    .replace(address, "<address>")
    .replace(hexDigits, "<hex>")
    .replace(amount, "<number>")
    .replace(/\s+/g, " ")
    .trim();
