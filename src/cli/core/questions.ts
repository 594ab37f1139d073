import { closest } from "./closest.ts";
import type { Context } from "./context.ts";
import { onOneLine } from "./plain-text.ts";

/** The person gave no answer. */
export class Unanswered extends Error {
  constructor() {
    super("Nothing was typed.");
    this.name = "Unanswered";
  }
}

export interface Question {
  readonly label: string;
  /** The help of the flag or the argument. */
  readonly meaning: string;
}

/** A value to choose, and its description. */
export interface Choice {
  readonly value: string;
  readonly name?: string;
}

export interface ChoiceQuestion extends Question {
  readonly choices: readonly Choice[];
  /** Whether another value may be typed too. */
  readonly isOpen?: boolean;
}

const tries = 3;

/** Asks for a text. An empty answer is asked for again. Throws Unanswered if there is none. */
export async function askText(context: Context, { label, meaning }: Question): Promise<string> {
  if (meaning !== "") context.io.stderr.write(`${label}: ${meaning}\n`);
  for (let left = tries; left > 0; left -= 1) {
    const answer = await typed(context, "> ");
    if (answer !== "") return answer;
  }
  throw new Unanswered();
}

/** Asks for one of several values: by number, name, or its start. Throws Unanswered if there is no such answer. */
export async function askChoice(context: Context, question: ChoiceQuestion): Promise<string> {
  const { label, choices, isOpen = false } = question;
  context.io.stderr.write(`${label}:\n${choices.map(lineOf).join("\n")}\n`);
  for (let left = tries; left > 0; left -= 1) {
    const answer = await typed(context, "Number or name: ");
    const chosen = chosenFrom(choices, answer) ?? (isOpen && answer !== "" ? answer : undefined);
    if (chosen !== undefined) return chosen;
  }
  throw new Unanswered();
}

const lineOf = ({ value, name }: Choice, at: number): string =>
  `  ${String(at + 1).padStart(2)}  ${onOneLine(value)}${name === undefined ? "" : `  ${onOneLine(name)}`}`;

function chosenFrom(choices: readonly Choice[], answer: string): string | undefined {
  const numbered = /^\d{1,3}$/.test(answer) ? choices[Number(answer) - 1] : undefined;
  if (numbered) return numbered.value;
  const values = choices.map(({ value }) => value);
  const starting = answer === "" ? [] : values.filter((value) => value.startsWith(answer.toLowerCase()));
  return starting.length === 1 ? starting[0] : values.find((value) => value === closest(answer, values));
}

async function typed({ io, signal }: Context, question: string): Promise<string> {
  try {
    return (await io.ask(question, { signal })).trim();
  } catch (error) {
    signal.throwIfAborted();
    // The person closed the input, with Ctrl-D.
    if (error instanceof Error && error.message === "Nothing was typed.") throw new Unanswered();
    throw error;
  }
}
