import { expect, it } from "vitest";
import { isAutomatic, mailQueues, queueOf } from "../../../../server/mail/outgoing/rules.ts";

it.each([
  ["reply", "personal"],
  ["invitation", "personal"],
  ["recovery", "personal"],
  ["notice", "bulk"],
  ["release", "bulk"],
] as const)(
  "a mail of the kind %s is in the queue %s, and is marked as automatic only if that queue is bulk",
  (kind, queue) => {
    expect(queueOf(kind)).toBe(queue);
    expect(isAutomatic(kind)).toBe(queue === "bulk");
    expect(mailQueues).toContain(queue);
  },
);
