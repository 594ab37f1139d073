import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { plantedFaults } from "./torture/planted-faults.ts";

// `npm run torture` plants them, which takes hours. A change of the code must not make them useless before.
it.each(
  Object.values(plantedFaults)
    .flat()
    .map((fault) => [fault.name, fault] as const),
)("the text of the planted fault is in its file once: %s", (_, { file, right, tests }) => {
  expect(readFileSync(file, "utf8").split(right)).toHaveLength(2);
  expect(tests.filter((beginning) => !files.some((name) => name.startsWith(beginning)))).toEqual([]);
});

const files = readdirSync("test", { recursive: true, encoding: "utf8" }).map((name) => `test/${name}`);
