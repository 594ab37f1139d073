import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type PlannedCycle,
  resetClock,
  type SlotState,
  secretsOf,
  slotIn,
  slotStates,
} from "../../support/worlds/cycle-planned-by-owner.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

const hours = 3_600_000;

describe("a slot", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let test: PlannedCycle;
  let slotId: string;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  afterEach(() => resetClock(service));
  afterAll(() => service.stop());

  const bring = async (state: SlotState) => {
    ({ test, slotId } = await slotIn(service, world, state));
  };
  const keyOf = () => secretsOf(service, slotId);

  describe("refuses an action that its state does not allow:", () => {
    const every = ["accept", "decline", "remove", "rotate-key", "confirm-join"];
    const allowed: Partial<Record<SlotState, readonly string[]>> = {
      requested: ["accept", "decline"],
      active: ["remove", "rotate-key", "confirm-join"],
      "at risk": ["remove", "rotate-key", "confirm-join"],
    };
    const wrong = slotStates.flatMap((state) =>
      every.filter((verb) => !allowed[state]?.includes(verb)).map((verb) => [verb, state] as const),
    );
    it.each(wrong)("%s if it is %s", async (verb, state) => {
      await bring(state);
      const before = await test.slots();
      const key = await keyOf();
      expect(await test.change(slotId, verb)).toMatchObject({ status: 409, body: { code: "wrong_state" } });
      expect(await test.slots()).toEqual(before);
      expect(await keyOf()).toEqual(key);
    });

    it.each([
      ["requested", 409, "slot_taken"],
      ["active", 409, "slot_taken"],
      ["at risk", 409, "slot_taken"],
      ["removed", 409, "slot_taken"],
      ["completed", 422, "cycle_not_open"],
      ["open in a cycle that is over", 422, "cycle_not_open"],
      ["cancelled", 422, "cycle_not_open"],
    ] as const)("assign if it is %s", async (state, status, code) => {
      await bring(state);
      const { email } = await service.makeUser();
      const before = await test.slots();
      expect(await test.change(slotId, "assign", { email })).toMatchObject({ status, body: { code } });
      expect(await test.slots()).toEqual(before);
    });
  });

  it.each([
    [48 * hours - 60_000, 200],
    [48 * hours, 409],
  ])("with a request that is %d milliseconds old answers an accept with %d", async (milliseconds, status) => {
    await bring("requested");
    service.clock.advance(milliseconds);
    expect(await test.change(slotId, "accept")).toMatchObject({ status });
  });

  it("with an expired request is already open when its owner reads it", async () => {
    await bring("expired");
    expect(await test.slot(slotId)).toMatchObject({ status: "open", tester: null, requestExpiresAt: null });
  });

  describe("with several actions at the same time", () => {
    const codesOf = async (answers: Promise<{ status: number }>[]) =>
      (await Promise.all(answers)).map(({ status }) => status).sort();

    it("is accepted or declined, and never both", async () => {
      await bring("requested");
      const verbs = Array.from({ length: 20 }, (_, at) => (at % 2 ? "accept" : "decline"));
      const answers = await Promise.all(verbs.map((verb) => test.change(slotId, verb)));
      const won = verbs.filter((_, at) => answers[at]?.status === 200);
      expect(won).toHaveLength(1);
      expect(await test.slot(slotId)).toMatchObject({ status: won[0] === "accept" ? "active" : "open" });
    });

    it("is removed once, and has one successor", async () => {
      await bring("active");
      const answers = Array.from({ length: 10 }, () => test.change(slotId, "remove"));
      expect(await codesOf(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
      expect((await test.slots()).map(({ seat }: { seat: number }) => seat)).toEqual([1, 1, 2, 3]);
    });

    it("is assigned to exactly one of many accounts", async () => {
      await bring("open");
      const testers = await Promise.all(Array.from({ length: 10 }, () => service.makeUser()));
      const answers = testers.map(({ email }) => test.change(slotId, "assign", { email }));
      expect(await codesOf(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    });

    it("is the only slot of the cycle that an account gets", async () => {
      await bring("open");
      const { email } = await service.makeUser();
      const answers = test.slotIds.map((id) => test.change(id, "assign", { email }));
      expect(await codesOf(answers)).toEqual([200, 409, 409]);
    });

    it("is removed together with its cycle in any order", async () => {
      await bring("active");
      await Promise.all([test.change(slotId, "remove"), test.cancel()]);
      expect(await test.slot(slotId)).toMatchObject({ status: "removed" });
    });
  });
});
