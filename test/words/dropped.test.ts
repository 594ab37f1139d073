import { expect, it } from "vitest";
import { droppedWords } from "../../src/words/thread.ts";

it("the message about dropped metadata names each entry and the reason, even a reason of a newer server", () => {
  const dropped = [
    { name: "trace", reason: "depth" },
    { name: "log", reason: "size" },
    { name: "late", reason: "count" },
    { name: "twice", reason: "name" },
    { name: "new", reason: "weather" },
  ];
  expect(droppedWords(dropped)).toBe(
    "trace (nested too deep), log (too large), late (too many entries), twice (a name that occurs twice), new (weather)",
  );
});
