import { expect, it } from "vitest";
import { shownAddress } from "../../src/words/visible.ts";

it.each([
  ["https://kim:hunter2@inn.example/x?y=a@b", "https://inn.example/x?y=a@b"],
  ["https://:hunter2@inn.example", "https://inn.example"],
  ["kim:hunter2@inn.example:3000", "inn.example:3000"],
  ["https://kim:hunt@er2@inn.example", "https://inn.example"],
  ["https://inn.example/@kim", "https://inn.example/@kim"],
  [":3000/hook", ":3000/hook"],
  ["not an address", "not an address"],
])("a message shows the address %s as %s", (given, shown) => {
  expect(shownAddress(given)).toBe(shown);
});
