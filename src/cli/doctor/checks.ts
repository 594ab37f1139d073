import { redactText } from "../../client/redact.ts";
import { countOf } from "../../words/phrases.ts";
import type { Invocation } from "../core/context.ts";
import { failureOf } from "../core/failures.ts";
import { note, printOne } from "../core/output.ts";
import { onOneLine, type Painter, painter, widthOf } from "../core/plain-text.ts";

/**
 * A `warning` is about something that works now but has a disadvantage or will stop working. A `failure` is about
 * something that does not work.
 */
export type State = "ok" | "note" | "warning" | "failure";

/** The result of one check. It never contains a secret. */
export interface Finding {
  /** The name of the check, in one or two words. */
  readonly check: string;
  readonly state: State;
  /** The result of a check. */
  readonly what: string;
  /** The consequence of a warning or a failure. Otherwise null. */
  readonly why: string | null;
  /** What the user can do next, such as a command to run or a setting to change. */
  readonly next: string | null;
}

/** Describes what is wrong, its consequence, and the next step. */
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

/**
 * Describes an error as a fault. If the error names a next step, the fault contains that step instead of `next`.
 */
export function faultOf(error: unknown, { why, next }: Pick<Fault, "why" | "next">): Fault {
  const { message, next: own } = failureOf(error);
  return { what: message, why, next: own ?? next };
}

/**
 * Prints findings without secrets. With `--json`, the output also contains the fields of `more`. Returns true if there
 * is no failure.
 */
export function reportFindings(invocation: Invocation, all: readonly Finding[], more: object = {}): boolean {
  const findings = all.map(withoutSecrets);
  const failures = findings.filter(({ state }) => state === "failure").length;
  const warnings = findings.filter(({ state }) => state === "warning").length;
  const { context, flags } = invocation;
  const { stdout } = context.io;
  const layout: Layout = {
    paint: painter(context, flags, stdout),
    columns: stdout.isTerminal ? stdout.columns : Number.POSITIVE_INFINITY,
  };
  const report = { ok: failures === 0, version: context.version, ...more, failures, warnings, findings };
  printOne(invocation, report, () => ({
    painted: findings.flatMap((finding) => linesOf(finding, layout)).join("\n"),
  }));
  note(invocation, `${countOf(failures, "failure")}, ${countOf(warnings, "warning")}.`);
  return failures === 0;
}

const withoutSecrets = ({ what, why, next, ...rest }: Finding): Finding => ({
  ...rest,
  what: redactText(what),
  why: why && redactText(why),
  next: next && redactText(next),
});

const colors = { failure: "red", warning: "yellow", ok: "green", note: "dim" } as const;

const width = Math.max(...Object.keys(colors).map((state) => state.length));

const margin = " ".repeat(width + 2);

/** How findings are printed: with which colours, and with how many columns in a line. */
interface Layout {
  readonly paint: Painter;
  readonly columns: number;
}

function linesOf({ check, state, what, why, next }: Finding, { paint, columns }: Layout): string[] {
  const texts = [`${check}: ${what}`, why && `Effect: ${why}`, next && `Next: ${next}`];
  const [first = "", ...rest] = texts.flatMap((text) =>
    text ? wrapped(onOneLine(text), columns - margin.length) : [],
  );
  const label = paint(colors[state satisfies State], state.padEnd(width));
  return [`${label}  ${first}`, ...rest.map((line) => margin + line)];
}

/**
 * Wraps a text at a number of columns. Never cuts a word, because the user may copy it as a part of a command.
 */
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
