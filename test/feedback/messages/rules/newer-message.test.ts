import { expect, it } from "vitest";
import { newerMessage } from "../../../../server/feedback/messages/rules.ts";

const message = (id: string, authorId: string | null) => ({ id, authorId });
const [hers, his, later, senders] = [
  message("1", "maria"),
  message("2", "ben"),
  message("3", "ben"),
  message("4", null),
];

it.each([
  ["nobody wrote", [], null, undefined],
  ["the caller does not say what was seen", [his], undefined, undefined],
  ["the newest message was seen", [hers, his], "2", undefined],
  ["only the own messages are newer", [his, hers], "2", undefined],
  ["somebody wrote first", [his], null, "2"],
  ["two messages are newer: the newest counts", [hers, his, later], "1", "3"],
  ["an own message came after that of somebody else", [his, hers], null, "2"],
  ["the sender wrote", [his, senders], "2", "4"],
  ["the message that was seen is not on the thread", [his], "9", "2"],
])("the newer message when %s", (_, messages, expected, found) => {
  expect(newerMessage(messages, { expected, userId: "maria" })?.id).toBe(found);
});
