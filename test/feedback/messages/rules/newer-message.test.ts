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
  ["does not exist if there are no messages", [], null, undefined],
  ["does not exist if the caller does not name the message that it saw", [his], undefined, undefined],
  ["does not exist if the caller saw the newest message", [hers, his], "2", undefined],
  ["is never a message of the caller", [his, hers], "2", undefined],
  ["is the first message if the caller saw none", [his], null, "2"],
  ["is the newest one if two messages are newer", [hers, his, later], "1", "3"],
  ["is that of somebody else if a message of the caller came after it", [his, hers], null, "2"],
  ["can be a message of the sender", [his, senders], "2", "4"],
  ["is the newest message if the message that the caller saw is not on the thread", [his], "9", "2"],
])("the message that is newer than the one that the caller saw %s", (_, messages, expected, found) => {
  expect(newerMessage(messages, { expected, userId: "maria" })?.id).toBe(found);
});
