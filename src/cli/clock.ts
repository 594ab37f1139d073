import { isoDuration } from "../local/clock-move.ts";
import { fieldsOf } from "./answers.ts";
import { callDevServer } from "./call-dev-server.ts";
import { usageError } from "./core/cli-error.ts";
import type { Invocation } from "./core/context.ts";
import { printOne } from "./core/output.ts";

/** Shows the server's time, or moves its clock. `words` are those of the command line. */
export async function clock(invocation: Invocation, words: readonly string[]): Promise<undefined> {
  const path = "/dev/clock";
  const body = moveOf(words);
  const answer = await callDevServer(
    invocation,
    body === undefined ? { method: "GET", path } : { method: "POST", path, body },
  );
  printOne(invocation, answer, () => String(fieldsOf(answer).now));
}

function moveOf(words: readonly string[]): object | undefined {
  const [first, second] = words;
  if (first === undefined) return undefined;
  if (first === "set" && second !== undefined && words.length === 2) return { set: second };
  const advance = words.length === 1 ? isoDuration(first) : undefined;
  if (advance !== undefined) return { advance };
  throw usageError(
    `\`${words.join(" ")}\` does not move a clock.`,
    "Give +1d, -2h30m or P1D, or `set` and an instant such as 2027-03-01T09:00:00Z.",
  );
}
