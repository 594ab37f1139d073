import type { Invocation } from "./context.ts";
import { note } from "./output.ts";

/** Notes how to read on in a list of threads. A search may have found nothing yet when it ended early. */
export function noteFurther(invocation: Invocation, items: readonly object[], nextCursor: string): void {
  const more = items.length === 0 ? "Older threads were not searched yet" : "There are more";
  note(invocation, `${more}: --cursor ${nextCursor}`);
}
