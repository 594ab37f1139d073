import { utcOf } from "../src/contract/instants.ts";
import { feedbackIdOf, runIdOf } from "./ids.ts";
import { Refusal } from "./refusal.ts";

/** The instant in a text: a plain day is its beginning in UTC. Throws a Refusal for any other text. */
export function instantIn(given: string): string {
  const text = given.trim();
  const instant = utcOf(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (instant !== undefined) return instant;
  throw new Refusal(
    "`updated_since` must be a day such as 2026-11-21, or an instant such as 2026-11-21T09:00:00Z.",
  );
}

/** The number of the message at which older ones end. */
export function messageNumberIn(given: string): number {
  if (/^\d{1,9}$/.test(given.trim())) return Number(given);
  throw new Refusal(
    "`messages_before` must be the next_cursor of an earlier answer. Leave it out to start with the newest messages.",
  );
}

/** Arguments whose text has a form, in every tool that has them. Each throws a Refusal for a text of another form. */
export const forms: Readonly<Record<string, (given: string) => unknown>> = {
  feedback: feedbackIdOf,
  run_id: (given) => runIdOf(given),
  expected_run_id: (given) => runIdOf(given, "expected_run_id"),
  messages_before: messageNumberIn,
  updated_since: instantIn,
};
