import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { requestSlotAs } from "../../support/worlds/listing-and-slot-activity.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("a request for a slot that a page shows", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  let address: string;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
    address = `/console/cycles/${world.app.id}/${world.cycleId}`;
  });
  afterAll(() => service.stop());

  const at = (action: string) => `${address}/seats/${world.slotId}/${action}`;
  const stateNow = async () => {
    const { body } = await world.call("GET", `/cycles/${world.cycleId}`);
    const { status, tester } = Object(body).slots.find(
      ({ slotId }: { slotId: string }) => slotId === world.slotId,
    );
    return [status, tester?.email];
  };

  it.each(["accept", "decline"])(
    "is not the one that %s answers after another tester requested it",
    async (action) => {
      const page = await owner.open(address);
      await world.call("POST", `/slots/${world.slotId}/decline`);
      const other = await service.makeUser();
      await requestSlotAs(service, world.slotId, other);
      const refused = await owner.send(page, at(action));
      expect(refused.status).toBe(409);
      expect(readingOf(refused)).toContain(
        "Another tester has requested this slot since you opened this page.",
      );
      expect(await stateNow()).toEqual(["requested", other.email]);
      expect((await owner.send(refused, at(action))).status).toBe(303);
      expect(await stateNow()).toEqual(action === "accept" ? ["active", other.email] : ["open", undefined]);
    },
  );

  it.each(["accept", "decline"])("is answered once if the form for %s is sent twice", async (action) => {
    const page = await owner.open(address);
    expect((await owner.send(page, at(action))).status).toBe(303);
    expect((await owner.send(page, at(action))).status).toBe(303);
  });
});
