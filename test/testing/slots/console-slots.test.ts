import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { hashOf } from "../../../server/secrets/secrets.ts";
import { mailOutOf } from "../../../server/settings/read-settings.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makePlannedCycle,
  type PlannedCycle,
  resetClock,
  type SlotState,
  secretsOf,
  slotIn,
} from "../../support/worlds/cycle-planned-by-owner.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("a slot that its owner manages", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let test: PlannedCycle;
  let slotId: string;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    test = await makePlannedCycle(service, world);
    slotId = test.slotIds[0];
  });
  afterEach(() => resetClock(service));
  afterAll(() => service.stop());

  const bring = async (state: SlotState) => {
    ({ test, slotId } = await slotIn(service, world, state));
  };
  const keyOf = () => secretsOf(service, slotId);

  it("belongs to the tester after a request and an accept, with a test key and a pending join check", async () => {
    const tester = await test.ask(slotId);
    expect(await test.slot(slotId)).toMatchObject({ status: "requested", tester, joinCheckPending: false });
    const answer = await test.change(slotId, "accept");
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      slotId,
      cycleId: test.cycleId,
      seat: 1,
      status: "active",
      tester,
      missedDays: 0,
      daysCounted: 0,
      joinCheckPending: true,
      requestExpiresAt: null,
      activatedAt: expect.stringMatching(/\.\d{3}Z$/),
      endedAt: null,
    });
    const key = await keyOf();
    const testKey = service.deps.sealer.open(key?.keySealed ?? "");
    expect(testKey).toMatch(/^stk_[0-9A-Za-z]{38}$/);
    expect(hashOf(testKey)).toBe(key?.keyHash);
  });

  it.each([
    ["before the first day from day 0", { startsIn: 3 }, 0],
    ["on the third day from day 3", { startsIn: -2 }, 3],
  ])("that is accepted %s is active from that time", async (_, plan, day) => {
    test = await makePlannedCycle(service, world, plan);
    slotId = test.slotIds[0];
    await test.ask(slotId);
    await test.change(slotId, "accept");
    expect(await keyOf()).toMatchObject({ fromDay: day });
  });

  it("is open again after its request was declined, also for the same tester", async () => {
    const tester = await test.ask(slotId);
    const answer = await test.change(slotId, "decline");
    expect(answer.body).toMatchObject({ status: "open", tester: null, requestExpiresAt: null });
    await test.ask(slotId, tester);
    expect((await test.change(slotId, "accept")).body).toMatchObject({ status: "active", tester });
  });

  it.each(["active", "at risk"] as const)(
    "that is %s can be removed, and a new slot opens in its place",
    async (state) => {
      await bring(state);
      const before = await test.slot(slotId);
      const answer = await test.change(slotId, "remove");
      expect(answer.body).toMatchObject({ status: "removed", tester: before.tester, seat: 1 });
      expect(answer.field("endedAt")).toMatch(/Z$/);
      const [removed, successor, next] = await test.slots();
      expect(removed).toMatchObject({ slotId, seat: 1, status: "removed" });
      expect(successor).toMatchObject({ seat: 1, status: "open", tester: null, missedDays: 0 });
      expect(next).toMatchObject({ slotId: test.slotIds[1], seat: 2 });
    },
  );

  it.each(["active", "at risk"] as const)(
    "that is %s can get a new key, and the old key becomes invalid",
    async (state) => {
      await bring(state);
      const before = await keyOf();
      const answer = await test.change(slotId, "rotate-key");
      expect(answer).toMatchObject({ status: 200 });
      const after = await keyOf();
      expect(after?.keyHash).not.toBe(before?.keyHash);
      expect(hashOf(service.deps.sealer.open(after?.keySealed ?? ""))).toBe(after?.keyHash);
    },
  );

  it("needs no join check after its owner has confirmed that the tester joined", async () => {
    await bring("active");
    expect((await test.change(slotId, "confirm-join")).body).toMatchObject({ joinCheckPending: false });
    expect(await test.slot(slotId)).toMatchObject({ status: "active", joinCheckPending: false });
  });

  it("that is open can be assigned to a known account immediately", async () => {
    const tester = await service.makeUser();
    const answer = await test.change(slotId, "assign", { email: ` ${tester.email.toUpperCase()} ` });
    expect(answer.body).toMatchObject({ status: "active", tester, joinCheckPending: true });
    expect(await keyOf()).toMatchObject({ keyHash: expect.stringMatching(/^[\da-f]{64}$/), fromDay: 1 });
  });

  it("cannot be assigned to an unknown account, and the error explains this", async () => {
    const answer = await test.change(slotId, "assign", { email: "nobody@example.org" });
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(answer.field("error")).toContain("no account with this e-mail address");
  });

  it("can be assigned to a verified address only, if the server sends mail", async () => {
    const mailOut = mailOutOf({
      INNKEEP_SMTP_URL: "smtp://127.0.0.1:9",
      INNKEEP_MAIL_FROM: "a@larder.example",
    });
    const mailing = await startService({ settings: { mailOut } });
    onTestFinished(() => mailing.stop());
    const owned = await makeOwnerWithOneOfEach(mailing);
    const { test: planned, slotId: open } = await slotIn(mailing, owned, "open");
    const { id, email } = await mailing.makeUser();
    const verify = (at: string | null) =>
      mailing.deps.database.write((tx) =>
        tx.run("UPDATE users SET email_verified_at = ? WHERE id = ?", at, id),
      );
    await verify(null);
    const refused = await planned.change(open, "assign", { email });
    expect(refused).toMatchObject({ status: 403, body: { code: "email_unverified" } });
    expect(await planned.slot(open)).toMatchObject({ status: "open", tester: null });
    await verify(mailing.clock.now().toISOString());
    expect(await planned.change(open, "assign", { email })).toMatchObject({ body: { status: "active" } });
  });

  it("cannot be assigned to its owner", async () => {
    const answer = await test.change(slotId, "assign", { email: world.owner.email });
    expect(answer).toMatchObject({ status: 403, body: { code: "own_listing" } });
  });

  it.each(["requested", "active", "removed"] as const)(
    "cannot be assigned to a tester who has, or had, another slot of the cycle: %s",
    async (state) => {
      await bring(state);
      const { tester } = await test.slot(slotId);
      const answer = await test.change(test.slotIds[1], "assign", { email: tester.email });
      expect(answer).toMatchObject({ status: 409, body: { code: "already_in_cycle" } });
    },
  );

  it("that a tester has left can be assigned to another tester, who begins without counted days", async () => {
    await bring("at risk");
    await test.change(slotId, "remove");
    const [, successor] = await test.slots();
    const tester = await service.makeUser();
    const { body } = await test.change(successor.slotId, "assign", { email: tester.email });
    expect(body).toMatchObject({ status: "active", seat: 1, tester, missedDays: 0 });
    test.toDay(5);
    expect(await test.slots()).toMatchObject([
      { slotId, status: "removed", missedDays: 1 },
      { slotId: successor.slotId, status: "at_risk", missedDays: 1 },
      {},
      {},
    ]);
  });

  it("has an entry in the audit for each change, and none for a refused change", async () => {
    const owned = await makeOwnerWithOneOfEach(service);
    test = await makePlannedCycle(service, owned);
    slotId = test.slotIds[0];
    await test.ask(slotId);
    for (const verb of ["accept", "accept", "rotate-key", "confirm-join", "remove", "decline"])
      await test.change(slotId, verb);
    const [, successor] = await test.slots();
    await test.ask(successor.slotId);
    await test.change(successor.slotId, "decline");
    await test.change(successor.slotId, "assign", { email: (await service.makeUser()).email });
    const { body } = await owned.call("GET", "/audit?limit=6");
    expect(Object(body).items).toMatchObject([
      { action: "slot.assign", target: successor.slotId, appId: owned.app.id, actor: owned.owner.email },
      { action: "slot.decline", target: successor.slotId },
      { action: "slot.remove", target: slotId },
      { action: "slot.confirm_join", target: slotId },
      { action: "slot.rotate_key", target: slotId },
      { action: "slot.accept", target: slotId },
    ]);
  });

  it("never shows its test key to the owner: neither in an answer, in the audit nor in the log", async () => {
    await bring("active");
    const key = service.deps.sealer.open((await keyOf())?.keySealed ?? "");
    const answers = [
      await test.change(slotId, "rotate-key"),
      await world.call("GET", `/cycles/${test.cycleId}`),
      await world.call("GET", "/audit"),
    ];
    const rotated = await keyOf();
    const secrets = [key, rotated?.keyHash ?? "", rotated?.keySealed ?? "", "stk_"];
    const told = answers.map(({ text }) => text).join() + service.logged();
    expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
  });

  it("can be changed with a maintainer token that has the scope, but not if it belongs to another app", async () => {
    await test.ask(slotId);
    const accept = async (traits: { scopes: string[]; appId?: string }) => {
      const headers = bearer(await service.makeToken(world.owner, "maintainer", traits));
      return service.request("POST", `/api/v1/console/slots/${slotId}/accept`, { headers });
    };
    const other = await service.makeApp(world.owner);
    expect(await accept({ scopes: ["feedback:write"] })).toMatchObject({ status: 403 });
    expect(await accept({ scopes: ["testing:manage"], appId: other.id })).toMatchObject({ status: 404 });
    expect(await accept({ scopes: ["testing:manage"], appId: world.app.id })).toMatchObject({ status: 200 });
  });
});
