import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createBrowserWithoutScripts,
  locationOf,
  readingOf,
} from "../support/browser/browser-without-scripts.ts";
import { eventually } from "../support/eventually.ts";
import { type Service, startService } from "../support/service/service.ts";
import { grace, graceAddress, makePersonEverywhere } from "../support/worlds/people/person-everywhere.ts";

describe("the erasure of a person in the console", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_BACKUPS_KEPT_DAYS: "30" } });
  });
  afterAll(() => service.stop());

  it("shows the found data, asks for a confirmation, and leaves a receipt that can be checked", async () => {
    const world = await makePersonEverywhere(service);
    const browser = createBrowserWithoutScripts(service, world.headers);
    const page = await browser.open("/console/people");
    expect(readingOf(page)).toContain("None yet.");
    const found = await browser.send(page, "/console/people/find", { email: grace });
    expect(readingOf(found)).toContain(`Data about ${grace}`);
    expect(readingOf(found)).toMatch(/Threads of the person 2/);
    const sent = await browser.send(found, "/console/people/erase");
    const receipt = locationOf(sent) ?? "";
    expect(receipt).toMatch(/^\/console\/people\/[\da-f-]{36}$/);

    const done = await eventually(async () => {
      const shown = await browser.open(receipt);
      expect(readingOf(shown)).toContain("State done");
      return shown;
    });
    expect(readingOf(done)).toContain(`Requested by ${world.owner.email}`);
    expect(readingOf(done)).toMatch(/Threads of the person 1/);
    expect(readingOf(done)).toMatch(/Backups may contain the person until \d/);
    expect(done.text.toLowerCase()).not.toContain(graceAddress);
    const check = async (email: string) => readingOf(await browser.send(done, `${receipt}/check`, { email }));
    expect(await check(graceAddress)).toContain("Yes. This receipt belongs to that address.");
    expect(await check("joan@example.org")).toContain("No. This receipt belongs to another address.");
    expect(readingOf(await browser.open("/console/people"))).toContain("done");
  });

  it("says why a person cannot be erased, and what is wrong with an address", async () => {
    const world = await makePersonEverywhere(service);
    const browser = createBrowserWithoutScripts(service, world.headers);
    const page = await browser.open("/console/people");
    const own = await browser.send(page, "/console/people/find", { email: world.owner.email });
    expect(readingOf(own)).toContain("This is your own address.");
    expect(own.text).not.toContain("/console/people/erase");
    const wrong = await browser.send(page, "/console/people/find", { email: "nobody" });
    expect([wrong.status, readingOf(wrong)]).toEqual([
      400,
      expect.stringContaining("E-mail address must be an e-mail address."),
    ]);
  });
});
