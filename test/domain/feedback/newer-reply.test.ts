import { expect, it } from "vitest";
import { newerReply } from "../../../server/domain/feedback/newer-reply.ts";

const reply = (id: string, authorId: string | null) => ({ id, authorId });
const [hers, his, later, erased] = [
  reply("1", "maria"),
  reply("2", "ben"),
  reply("3", "ben"),
  reply("4", null),
];

it.each([
  ["nobody replied", [], null, undefined],
  ["the caller does not say what was seen", [his], undefined, undefined],
  ["the newest reply was seen", [hers, his], "2", undefined],
  ["only the own replies are newer", [his, hers], "2", undefined],
  ["somebody replied first", [his], null, "2"],
  ["two replies are newer: the newest counts", [hers, his, later], "1", "3"],
  ["an own reply came after that of somebody else", [his, hers], null, "2"],
  ["the account of the author was deleted", [his, erased], "2", "4"],
  ["the reply that was seen is not on the thread", [his], "9", "2"],
])("the newer reply when %s", (_, replies, expected, found) => {
  expect(newerReply(replies, { expected, userId: "maria" })?.id).toBe(found);
});
