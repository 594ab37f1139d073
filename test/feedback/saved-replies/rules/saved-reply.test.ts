import { expect, it, onTestFinished, vi } from "vitest";
import {
  doubtfulPlaceholders,
  otherNamesIn,
  replyFrom,
  withStatusUrl,
} from "../../../../server/feedback/saved-replies/rules.ts";

const facts = { name: "Ada", app: "Larder", hasPage: true };

it.each([
  ["fills in name and app", "Hello {name}, from {app}.", facts, "Hello Ada, from Larder."],
  ["drops the space of a missing name", "Hello {name},\n{app}", { ...facts, name: null }, "Hello,\nLarder"],
  ["leaves the link to each receiver", "See {statusUrl}.", facts, "See {statusUrl}."],
  ["has no link without a page", "See {statusUrl}.", { ...facts, hasPage: false }, "See."],
  ["fills in nothing twice", "{name}", { ...facts, name: "{app}{statusUrl}" }, "appstatusUrl"],
  ["leaves other braces alone", "{ name } {} {Name}", facts, "{ name } {} {Name}"],
])("a saved reply %s", (_, body, given, text) => {
  expect(replyFrom(body, given)).toBe(text);
});

it.each([
  ["known placeholders", "{name} {app} {statusUrl}", true, []],
  ["a placeholder that is not known", "Hello {nam} {Name} {nam}", true, ["nam", "Name"]],
  ["the link if there is no page", "See {statusUrl}", false, ["statusUrl"]],
  ["braces that are not placeholders", '{"a": 1} {} { name }', false, []],
])("a reply with %s has these doubtful placeholders", (_, body, hasPage, doubtful) => {
  expect(doubtfulPlaceholders(body, { hasPage, isToEveryone: false })).toEqual(doubtful);
});

it("a reply contains the link of its receiver, or no link", () => {
  expect(withStatusUrl("{statusUrl} {statusUrl}", "https://inn.example/$&")).toBe(
    "https://inn.example/$& https://inn.example/$&",
  );
  expect(withStatusUrl("See {statusUrl}", undefined)).toBe("See ");
});

const threads = {
  receiver: { receivers: ["Anna"], all: ["Anna", "Boris", null, "Ann", "Anna Berg"] },
  everyone: { receivers: ["Anna", "Boris"], all: ["Anna", "Boris"] },
  namesakes: { receivers: ["Anna", "anna"], all: ["Anna", "anna"] },
  longer: { receivers: ["Anna Berg"], all: ["Anna Berg", "Anna", "田中"] },
  anonymous: { receivers: [null], all: ["Anna", null, "{x} C++ [1]"] },
};

it.each([
  ["the name of its receiver", "Hello Anna,", threads.receiver, []],
  ["the name of another sender", "Hello Boris,", threads.receiver, ["Boris"]],
  ["a longer name that has the receiver's in it", "Hello Anna Berg,", threads.receiver, ["Anna Berg"]],
  ["a part of a word", "Borisgleb, Annex", threads.receiver, []],
  ["the name of one of all receivers", "Hello Anna,", threads.everyone, ["Anna"]],
  ["the name that all receivers have", "Hello Anna,", threads.namesakes, []],
  ["a shorter name in the receiver's", "Hello Anna Berg,", threads.longer, []],
  ["a shorter name beside the receiver's", "Hello Anna Berg and Anna,", threads.longer, ["Anna"]],
  ["a name in a script without spaces", "田中さん、", threads.longer, ["田中"]],
  ["a name with special characters", "Hello x C++ [1]!", threads.anonymous, ["x C++ [1]"]],
  ["a name in other capital letters", "Hello boris,", threads.receiver, []],
  ["a name that begins in a word and ends as a word", "Borisgleb and Boris", threads.receiver, ["Boris"]],
  ["a letter outside the basic plane beside a name", "\u{1D400}Boris, Boris\u{1D400}", threads.receiver, []],
  ["a sign outside the basic plane beside a name", "\u{1F600}Boris\u{1F600}", threads.receiver, ["Boris"]],
  ["a part of a word with repeated parts", "anana", { receivers: [null], all: ["ana"] }, []],
  ["a repeated sign", "...!", { receivers: [null], all: [".."] }, [".."]],
])("a reply with %s has these names of others", (_, text, names, others) => {
  expect(otherNamesIn(text, names)).toEqual(others);
});

it("a reply in a thread with 500 senders has the names of those in its text", () => {
  const all = Array.from({ length: 500 }, (_, at) => `Sender ${at}`);
  const text = `Hello Sender 7 and Sender 499, not Sender 5000. ${"Please wait. ".repeat(600)}`;
  expect(otherNamesIn(text, { receivers: ["Sender 1"], all })).toEqual(["Sender 7", "Sender 499"]);
});

it("a reply with the names of other senders is checked without a pattern for each name", () => {
  const patterns = vi.spyOn(globalThis, "RegExp");
  onTestFinished(() => patterns.mockRestore());
  const all = Array.from({ length: 500 }, (_, at) => `${at} en`);
  expect(otherNamesIn("Hello 7 en!", { receivers: [null], all })).toEqual(["7 en"]);
  expect(patterns).not.toHaveBeenCalled();
});
