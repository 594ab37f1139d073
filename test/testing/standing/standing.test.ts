import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { type CycleOnNinthDay, makeCycleOnNinthDay } from "../../support/worlds/cycle-on-its-ninth-day.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("a test on its ninth day on $name", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let lived: CycleOnNinthDay;
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
    lived = await makeCycleOnNinthDay(service, world);
  });
  afterAll(() => service.stop());

  const pageOf = async (path: string, headers = world.headers) =>
    readingOf(await createBrowserWithoutScripts(service, headers).open(path));

  it("shows in the API whether it can reach its goal, what is open today, and who needs attention first", async () => {
    const { body } = await world.call("GET", `/cycles/${lived.cycleId}`);
    expect(body).toMatchObject({
      verdict: {
        state: "out_of_reach",
        testersNeeded: 12,
        testersPossible: 5,
        sinceDay: 6,
        openSeats: [10, 11, 12],
        text: "Cannot reach the goal of 12 testers for 14 days any more: since day 6, only 5 testers can still have every day counted.",
        advice:
          "New testers in slots 10, 11 and 12 can have at most 6 of the 14 days counted. Only a new cycle can reach the goal.",
      },
      today: { dayIndex: 9, counted: 5, open: 4 },
      attention: [
        {
          seat: 8,
          state: "missed_yesterday",
          needsToday: true,
          needsYesterday: true,
          missedDays: 1,
          missesLeft: 2,
        },
        { seat: 3, state: "today_open" },
        { seat: 4, state: "today_open" },
        { seat: 5, state: "today_open" },
        { seat: 1, state: "active", until: null },
        { seat: 2 },
        { seat: 6 },
        { seat: 7 },
        { seat: 9 },
      ],
    });
    const { unbroken, today, attention } = Object(body);
    expect(unbroken.map(({ testers }: { testers: number }) => testers)).toEqual([8, 8, 7, 6, 6, 5, 5, 4, 3]);
    expect(unbroken.at(-1)).toEqual({ dayIndex: 9, testers: 3, possible: 5 });
    expect(attention[0].until).toBe(today.endsAt);
  });

  it("has the same verdict in the list of tests of its listing", async () => {
    const { body } = await world.call("GET", `/cycles/${lived.cycleId}`);
    const list = await world.call("GET", `/listings/${world.listingId}/cycles`);
    expect(Object(list.body).items[0].verdict).toEqual(Object(body).verdict);
  });

  it("shows on its page first the verdict, the list of today, and the chart with its table", async () => {
    const page = await pageOf(lived.path);
    expect(page).toMatch(
      /since day 6, only 5 testers can still have every day counted\. New testers in slots 10, 11 and 12 can have at most 6 of the 14 days counted\. Only a new cycle can reach the goal\. Fill 3 slots Plan a new cycle .*Slot requests 2 requests .*Today, day 9 ends in \d+ hours 5 done · 4 still open/,
    );
    expect(page).toMatch(
      /Slot 8 · needs a late session of day 8 and a session today Missed yesterday .* Slot 3 · needs a session today Open today/,
    );
    expect(page).toMatch(/Testers with every day counted 5 of 12 .*9 [A-Z][a-z]{2} \d+ [A-Z][a-z]+ \d+ 3 5/);
  });

  it("shows the slots by number, or first the slots that need attention", async () => {
    const seatsOf = async (query: string) =>
      [...(await pageOf(`${lived.path}${query}`)).matchAll(/Slot (\d+) (?:Nobody|[\w-]+@)/g)].map(
        ([, seat]) => Number(seat),
      );
    expect(await seatsOf("")).toEqual([1, 2, 3, 4, 5, 6, 6, 7, 8, 9, 10, 11, 12]);
    expect(await seatsOf("?order=attention")).toEqual([8, 3, 4, 5, 1, 2, 6, 7, 9, 10, 11, 12, 6]);
  });

  it("shows a viewer the same verdict, and no action", async () => {
    const viewer = await service.makeMember(world.app.id, "viewer");
    const page = await pageOf(lived.path, await service.signIn(viewer));
    expect(page).toContain(
      "Cannot reach the goal of 12 testers for 14 days any more: since day 6, only 5 testers can still have every day counted.",
    );
    expect(page).not.toContain("Fill 3 slots");
    expect(await pageOf("/console", await service.signIn(viewer))).not.toContain("Tests below");
  });

  it("causes a warning on the home page, in the list of tests, and in the number next to Testing", async () => {
    expect(await pageOf("/console")).toMatch(
      /Tests with too few testers .*Lantern Out of reach Day 9 of 14 Cannot reach the goal of 12 testers for 14 days any more: since day 6, only 5 testers can still have every day counted\./,
    );
    const list = await pageOf(`/console/testing/${world.app.id}`);
    expect(list).toContain(
      "Day 9 of 14 Europe/Berlin Cannot reach the goal of 12 testers for 14 days any more: since day 6, only 5 testers can still have every day counted.",
    );
    expect(list).toContain("2 slot requests, 2 tests with too few testers");
  });

  it("causes no warning for the maintainers of other apps", async () => {
    const other = await service.makeUser();
    await service.makeApp(other);
    expect(await pageOf("/console", await service.signIn(other))).not.toContain("Tests below");
  });

  it("says in its report how many testers have every day so far, and that today is not over", async () => {
    const report = await world.call("GET", `/cycles/${lived.cycleId}/report`);
    expect(report.body).toMatchObject({
      finishedDays: 8,
      testersWithEveryFinishedDay: 4,
      testersWithEveryDay: 0,
    });
    const page = await pageOf(`${lived.path}/report`);
    expect(page).toContain("9 testers have a slot; 4 of them have all 8 finished days counted.");
    expect(page).toContain("5 so far");
  });

  it("causes no warning after it is cancelled", async () => {
    await world.call("POST", `/cycles/${lived.cycleId}/cancel`, {});
    const { body } = await world.call("GET", `/cycles/${lived.cycleId}`);
    expect(body).toMatchObject({
      verdict: { state: "cancelled", openSeats: [] },
      today: null,
      attention: [],
    });
    expect(await pageOf("/console")).not.toContain("only 5 testers can still have every day counted");
    expect(await pageOf(lived.path)).toContain("The test was cancelled before its end.");
  });
});
