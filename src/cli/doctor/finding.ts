import { redactText } from "../../client/redact.ts";
import type { Invocation } from "../core/context.ts";
import { failureOf } from "../core/failures.ts";
import { note, printOne } from "../core/output.ts";
import { onOneLine, type Painter, painter, widthOf } from "../core/plain-text.ts";

/** `warning`: it works, but not as well as it could, or not for long. `failure`: something does not work. */
export type State = "ok" | "note" | "warning" | "failure";

/** One thing that the doctor looked at. It never holds a secret. */
export interface Finding {
  /** What was looked at, in one or two words. */
  readonly check: string;
  readonly state: State;
  /** What was found. */
  readonly what: string;
  /** Why it matters, for a warning or a failure. */
  readonly why: string | null;
  /** The next command or setting. */
  readonly next: string | null;
}

/** A fault: what, why, and the next command. */
export interface Fault {
  readonly what: string;
  readonly why: string;
  readonly next: string;
}

export const ok = (check: string, what: string): Finding => ({
  check,
  state: "ok",
  what,
  why: null,
  next: null,
});

export const remark = (check: string, what: string): Finding => ({ ...ok(check, what), state: "note" });

export const warning = (check: string, fault: Fault): Finding => ({ check, state: "warning", ...fault });

export const failure = (check: string, fault: Fault): Finding => ({ check, state: "failure", ...fault });

/** An error as a fault, with its own next step if it has one. */
export function faultOf(error: unknown, { why, next }: Pick<Fault, "why" | "next">): Fault {
  const { message, next: own } = failureOf(error);
  return { what: message, why, next: own ?? next };
}

/** Prints findings without secrets, for people or with `--json`, where `more` is part of it. Returns whether none is a failure. */
export function reportFindings(invocation: Invocation, all: readonly Finding[], more: object = {}): boolean {
  const findings = all.map(withoutSecrets);
  const failures = findings.filter(({ state }) => state === "failure").length;
  const warnings = findings.filter(({ state }) => state === "warning").length;
  const { context, flags } = invocation;
  const { stdout } = context.io;
  const look: Look = {
    paint: painter(context, flags, stdout),
    columns: stdout.isTerminal ? stdout.columns : Number.POSITIVE_INFINITY,
  };
  const report = { ok: failures === 0, version: context.version, ...more, failures, warnings, findings };
  printOne(invocation, report, () => ({
    painted: findings.flatMap((finding) => linesOf(finding, look)).join("\n"),
  }));
  note(invocation, `${counted(failures, "failure")}, ${counted(warnings, "warning")}.`);
  return failures === 0;
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

const withoutSecrets = ({ what, why, next, ...rest }: Finding): Finding => ({
  ...rest,
  what: redactText(what),
  why: why && redactText(why),
  next: next && redactText(next),
});

const colors = { failure: "red", warning: "yellow", ok: "green", note: "dim" } as const;

const width = Math.max(...Object.keys(colors).map((state) => state.length));

const margin = " ".repeat(width + 2);

/** Colours, and the columns that a line may have. */
interface Look {
  readonly paint: Painter;
  readonly columns: number;
}

function linesOf({ check, state, what, why, next }: Finding, { paint, columns }: Look): string[] {
  const texts = [`${check}: ${what}`, why && `Why: ${why}`, next && `Next: ${next}`];
  const [first = "", ...rest] = texts.flatMap((text) =>
    text ? wrapped(onOneLine(text), columns - margin.length) : [],
  );
  const label = paint(colors[state satisfies State], state.padEnd(width));
  return [`${label}  ${first}`, ...rest.map((line) => margin + line)];
}

/** The text in lines of so many columns. A word is never cut: it may be a command to copy. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && widthOf(`${line} ${word}`) <= columns)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
