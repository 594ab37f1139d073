import "zod";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { faultsOf, issuesOf, ownMessages } from "../../src/contract/errors.ts";
import { NewFaq } from "../../src/contract/faqs.ts";

it("faults have our messages even after another library has set the messages of zod", () => {
  const { error } = NewFaq.safeParse({ question: 7, answer: null }, ownMessages);
  expect(error && issuesOf(error)).toEqual([
    { path: "question", message: "must be a string" },
    { path: "answer", message: "must be a string" },
  ]);
});

it.each([
  ["a short text", z.string().check(z.minLength(3)), "ab", "must have at least 3 characters"],
  ["an empty text", z.string().check(z.minLength(1)), "", "must not be empty"],
  ["a long text", z.string().check(z.maxLength(3)), "abcd", "must have at most 3 characters"],
  ["an empty list", z.array(z.string()).check(z.minLength(1)), [], "must not be empty"],
  ["a long list", z.array(z.string()).check(z.maxLength(1)), ["a", "b"], "must have at most 1 element"],
  ["a small number", z.number().check(z.minimum(3)), 2, "must be at least 3"],
  ["a large number", z.number().check(z.maximum(3)), 4, "must be at most 3"],
])("the fault of %s names what is counted", (_, schema, value, message) => {
  expect(faultsOf(schema, value)).toEqual([{ path: "", message }]);
});

it.each([
  ["a text for a list", z.array(z.string()).check(z.maxLength(1)), "abc", "must be an array"],
  ["a long list for a text", z.string().check(z.maxLength(1)), ["a", "b"], "must be a string"],
])("%s has the wrong type, and no second fault", (_, schema, value, message) => {
  expect(faultsOf(z.object({ field: schema }), { field: value })).toEqual([{ path: "field", message }]);
});

it("a field keeps its faults if another field with the same name in the answer has the wrong type", () => {
  const schema = z.object({ "a.b": z.string(), a: z.object({ b: z.string().check(z.minLength(3)) }) });
  expect(faultsOf(schema, { "a.b": 1, a: { b: "ab" } })).toEqual([
    { path: "a.b", message: "must be a string" },
    { path: "a.b", message: "must have at least 3 characters" },
  ]);
});
