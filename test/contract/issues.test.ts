import "zod";
import { expect, it } from "vitest";
import { issuesOf, ownMessages } from "../../src/contract/errors.ts";
import { NewFaq } from "../../src/contract/faqs.ts";

it("faults have our messages even after another library has set the messages of zod", () => {
  const { error } = NewFaq.safeParse({ question: 7, answer: null }, ownMessages);
  expect(error && issuesOf(error)).toEqual([
    { path: "question", message: "must be a string" },
    { path: "answer", message: "must be a string" },
  ]);
});
