import { expect, it } from "vitest";
import {
  doubtfulPlaceholders,
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
  expect(doubtfulPlaceholders(body, hasPage)).toEqual(doubtful);
});

it("a reply contains the link of its receiver, or no link", () => {
  expect(withStatusUrl("{statusUrl} {statusUrl}", "https://inn.example/$&")).toBe(
    "https://inn.example/$& https://inn.example/$&",
  );
  expect(withStatusUrl("See {statusUrl}", undefined)).toBe("See ");
});
