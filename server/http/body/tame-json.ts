import { createHash } from "node:crypto";
import { endOfString } from "./json-string.ts";
import { malformedJson } from "./upload.ts";

/**
 * Makes JSON text safe for JSON.parse without losing content: a number that a double cannot hold becomes a string, and
 * what is nested deeper than 16 levels becomes a short stand-in with its hash, which is still too deep for any limit. It
 * changes the value of one field, or the whole text if no field is named. Text that is not JSON stays so. Throws
 * `malformed_json` if it notices that.
 */
export function tameJson(text: string, field?: string): string {
  if (!mayExceedDouble.test(text) && !isDeep(text)) return text;
  const out = createOutput(text);
  let depth = 0;
  let isFree = field === undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === '"') {
      const end = endOfString(text, at + 1);
      if (end === -1) break;
      if (depth === 1 && field !== undefined && isKey(text, end))
        isFree = isNamed(text.slice(at, end + 1), field);
      at = end;
    } else if (character === "{" || character === "[") {
      depth += 1;
      if (isFree && depth % step === 0) out.begin(at);
    } else if (character === "}" || character === "]") {
      if (isFree && depth % step === 0) out.replace(at + 1);
      depth -= 1;
    } else if (isFree && (character === "-" || isDigit(character))) at = out.number(at);
  }
  return out.end();
}

const step = 16;
/** Sixteen digits, or an exponent: other numbers fit into a double. */
const mayExceedDouble = /\d[\d.]{15}|\d[eE][+-]?\d/;

function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at + 1);
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if (at === -1) return false;
    if (depth >= step) return true;
  }
  return false;
}

const isDigit = (character: string): boolean => character >= "0" && character <= "9";

/** Whether a string that ends at `end` is a key. */
function isKey(text: string, end: number): boolean {
  keyEnd.lastIndex = end + 1;
  return keyEnd.test(text);
}

const keyEnd = /\s*:/y;

function isNamed(raw: string, field: string): boolean {
  if (!raw.includes("\\")) return raw === `"${field}"`;
  return parsed(raw) === field;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformedJson("is not valid JSON");
  }
}

/** The text as far as it was scanned, with parts replaced. */
function createOutput(text: string) {
  const pieces: string[] = [];
  const begun: number[] = [];
  let taken = 0;
  const takeUntil = (end: number) => {
    pieces.push(text.slice(taken, end));
    taken = end;
  };
  return {
    begin(at: number) {
      takeUntil(at);
      begun.push(pieces.length);
    },
    replace(end: number) {
      takeUntil(end);
      const deep = pieces.splice(begun.pop() ?? pieces.length).join("");
      parsed(deep);
      pieces.push(`${"[".repeat(6)}"${createHash("sha256").update(deep).digest("hex")}"${"]".repeat(6)}`);
    },
    /** Gives the index at which the number that begins at `at` ends. */
    number(at: number): number {
      numberForm.lastIndex = at;
      const [number = ""] = numberForm.exec(text) ?? [];
      const end = at + number.length;
      if (jsonNumber.test(number) && !fitsDouble(number) && !isKey(text, end - 1)) {
        takeUntil(at);
        pieces.push(`"${number}"`);
        taken = end;
      }
      return Math.max(at, end - 1);
    },
    end() {
      takeUntil(text.length);
      return pieces.join("");
    },
  };
}

const longestNumber = 1_000;
const numberForm = /-?[\d.eE+-]+/y;
const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Whether a double holds exactly the number that is written. */
function fitsDouble(written: string): boolean {
  if (written.length > longestNumber) return false;
  const double = Number(written);
  return Number.isFinite(double) && decimal(written) === decimal(String(double));
}

/** The digits without zeros at either end, and the power of ten by which they are multiplied. */
function decimal(written: string): string {
  const [mantissa = "", exponent = "0"] = written.replace("-", "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  if (short === "") return "0";
  return `${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}
