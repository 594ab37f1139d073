import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../server/clock.ts";
import { generationName, linkName } from "../../../../server/continuous/names.ts";
import { createFolderPlace } from "../../../../server/continuous/places/folder-place.ts";
import { generationsIn } from "../../../../server/continuous/retention.ts";
import { keepingOf } from "../../../support/continuous/keeping-of.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";

const dayMs = 86_400_000;
const daysAgo = (days: number) => generationName(new Date(systemClock.now().getTime() - days * dayMs));

/** A place with generations: whole ones, and some of which only the beginning was copied. */
async function placeWith(whole: readonly string[], begun: readonly string[] = []) {
  const place = createFolderPlace(await temporaryFolder());
  const links = [linkName(0, systemClock.now()), linkName(0, undefined)] as const;
  for (const name of whole) await place.put(`generations/${name}/${links[0]}`, Buffer.from("a link"));
  for (const name of begun) await place.put(`generations/${name}/${links[1]}`, Buffer.from("a part"));
  return { place, left: async () => (await generationsIn(place)).map(({ name }) => name) };
}

describe("the generations of a continuous backup", () => {
  it("are deleted when they are too old, but not while the clock is in doubt", async () => {
    const names = [daysAgo(9), daysAgo(3), daysAgo(0)];
    let isDoubtful = true;
    const { place, left } = await placeWith(names);
    const { keeping } = await keepingOf(place, { current: names[2], isTimeDoubtful: () => isDoubtful });
    expect(keeping.isTidyDue()).toBe(false);
    await keeping.tidy();
    expect(await left()).toEqual(names);
    isDoubtful = false;
    expect(keeping.isTidyDue()).toBe(true);
    await keeping.tidy();
    expect(await left()).toEqual(names.slice(1));
    expect(keeping.isTidyDue()).toBe(false);
  });

  it("stay while no newer one is complete", async () => {
    const names = [daysAgo(10), daysAgo(9), daysAgo(8), daysAgo(0)];
    const { place, left } = await placeWith(names.slice(0, 2), names.slice(2));
    await (await keepingOf(place)).keeping.tidy();
    expect(await left()).toEqual(names.slice(1));
  });

  it("stay if the server goes on with them, whatever their age", async () => {
    const names = [daysAgo(10), daysAgo(9), daysAgo(1)];
    const { place, left } = await placeWith(names);
    await (await keepingOf(place, { current: names[1] })).keeping.tidy();
    expect(await left()).toEqual(names.slice(1));
  });

  it("are followed by the copies of their files: later after a failure, and once after each start", async () => {
    const { place, left } = await placeWith([daysAgo(9), daysAgo(0)]);
    const tries: string[] = [];
    let failure: Error | undefined = new Error("an I/O error");
    const removeFiles = async () => {
      tries.push(failure ? "fails" : "works");
      if (failure) throw failure;
    };
    const { keeping, lines } = await keepingOf(place, { removeFiles });
    await keeping.tidy();
    expect(await left()).toHaveLength(1);
    expect(lines.join("")).toContain("old copies of the continuous backup are not deleted");
    expect(keeping.isTidyDue()).toBe(true);
    failure = undefined;
    await keeping.tidy();
    expect(keeping.isTidyDue()).toBe(false);
    await keeping.tidy();
    expect(tries).toEqual(["fails", "works"]);
    await (await keepingOf(place, { removeFiles })).keeping.tidy();
    expect(tries).toEqual(["fails", "works", "works"]);
  });

  it.each([
    { begun: "two days ago", days: 2, isDoubtful: false, isDue: true },
    { begun: "an hour ago", days: 1 / 24, isDoubtful: false, isDue: false },
    { begun: "in a year, because the clock was set back", days: -365, isDoubtful: false, isDue: true },
    { begun: "two days ago by a clock in doubt", days: 2, isDoubtful: true, isDue: false },
  ])(
    "are followed by a new one if the last one began $begun: $isDue",
    async ({ days, isDoubtful, isDue }) => {
      const name = daysAgo(days);
      const { place } = await placeWith([name]);
      const { keeping } = await keepingOf(place, { current: name, isTimeDoubtful: () => isDoubtful });
      expect(keeping.isRenewalDue()).toBe(isDue);
    },
  );
});
