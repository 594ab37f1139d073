import { Histogram, Registry } from "prom-client";
import { expect, it } from "vitest";
import { createDurations, type DurationLabels } from "../../../../server/http/operations/durations.ts";
import { fc } from "../../../support/property.ts";

const naming = { name: "answers", help: "How long answers took" };
const bounds = [0.001, 0.025, 2.5];

const answers = fc.array(
  fc.record({
    method: fc.constantFrom("GET", "POST"),
    route: fc.constantFrom("/api/v1/runs/:runId", 'a "quoted"\nroute\\'),
    status: fc.constantFrom(200, 404),
    // Sums of these have no rounding, whatever their order.
    seconds: fc.constantFrom(0, 0.0009765625, 0.001, 0.0078125, 0.025, 0.5, 2.5, 64),
  }),
);

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

it("The figures of answers are those of the library, line by line", async () => {
  await fc.assert(
    fc.asyncProperty(answers, async (given) => {
      const registers = [new Registry()];
      const histogram = new Histogram({
        ...{ ...naming, registers, buckets: bounds },
        labelNames: ["method", "route", "status"],
      });
      const durations = createDurations({ ...naming, bounds });
      for (const { seconds, ...labels } of given) {
        durations.count(labels satisfies DurationLabels, seconds);
        histogram.observe(labels, seconds);
      }
      const expected = linesOf((await registers[0]?.metrics()) ?? "");
      expect(linesOf(durations.text()).toSorted()).toEqual(expected.toSorted());
    }),
  );
});
