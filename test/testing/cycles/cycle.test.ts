import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeCycleWithTwelveSlots } from "../../support/worlds/cycle-with-twelve-slots.ts";

describe("the page of a cycle", () => {
  let service: Service;
  let test: Awaited<ReturnType<typeof makeCycleWithTwelveSlots>>;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    test = await makeCycleWithTwelveSlots(service);
    owner = createBrowserWithoutScripts(service, test.world.headers);
  });
  afterAll(() => service.stop());

  const send = async (slotId: string, deed: string, page?: string) =>
    owner.send(
      await owner.open(page ?? `${test.path}?slot=${slotId}`),
      `${test.path}/seats/${slotId}/${deed}`,
    );
  const assign = async (values: Record<string, string>) =>
    owner.send(await owner.open(test.path), `${test.path}/assign`, values);

  it("shows the state of the cycle", async () => {
    const page = readingOf(await owner.open(test.path));
    expect(page).toMatch(
      /Running Day 1 of 14 last day .* UTC Late sessions count until \d+ [A-Z][a-z]+ Report/,
    );
    expect(page).toMatch(
      /Still possible: the goal of 12 testers for 14 days needs 12 more testers with a session today\. Fill 12 slots Slot requests 1 request/,
    );
    expect(page).toMatch(/Today, day 1 ends (in|within) /);
    expect(page).toContain("No tester has a slot yet.");
  });

  it("allows the owner to accept a request for a slot", async () => {
    const { slotId } = test.world;
    const page = await owner.follow(await send(slotId, "accept", test.path));
    expect(await test.slotWith(slotId)).toMatchObject({ status: "active", joinCheckPending: true });
    expect(readingOf(page)).not.toContain("Slot requests");
    expect(readingOf(page)).toMatch(
      /Today, day 1 ends (in|within) .* 0 done · 1 still open .* Slot 1 · needs a session today Open today/,
    );
  });

  it("asks for proofs, and for nothing late, if its app does not report sessions", async () => {
    const other = await makeCycleWithTwelveSlots(service);
    const { world, path } = other;
    await world.call("PATCH", `/listings/${world.listingId}`, { verificationTier: "screenshot" });
    const { seat } = await other.giveSlot();
    const visitor = createBrowserWithoutScripts(service, world.headers);
    const page = readingOf(await visitor.open(path));
    expect(page).toContain("A proof counts only on its day");
    expect(page).toMatch(/needs 11 more testers with a proof today\./);
    expect(page).toContain(`Slot ${seat} · needs a proof today`);
    expect(page).not.toMatch(/late session/i);
  });

  it("allows the owner to decline a request for a slot, and the slot is open again", async () => {
    const other = await makeCycleWithTwelveSlots(service);
    const visitor = createBrowserWithoutScripts(service, other.world.headers);
    const action = `${other.path}/seats/${other.world.slotId}/decline`;
    await visitor.send(await visitor.open(other.path), action);
    expect(await other.slotWith(other.world.slotId)).toMatchObject({ status: "open", tester: null });
  });

  it("allows the owner to assign an open slot to a known account", async () => {
    const { email } = await service.makeUser();
    const open = (await test.slots()).find(({ status }) => status === "open");
    const answer = await assign({ email, slotId: open?.slotId ?? "" });
    expect(answer.headers.get("location")).toBe(`${test.path}?done=seat-assigned`);
    expect(await test.slotWith(open?.slotId ?? "")).toMatchObject({ status: "active", tester: { email } });
  });

  it.each([
    [
      "has no account",
      async () => "nobody@example.org",
      "E-mail of the tester does not belong to an account on this server.",
    ],
    ["is not an address", async () => "", "E-mail of the tester must not be empty."],
    ["is the owner's", async () => test.world.owner.email, "This is a test of your own app."],
    [
      "already has a slot",
      async () => (await test.giveSlot()).tester.email,
      "has, or had, a slot in this test already.",
    ],
  ])("refuses to assign a slot to an address that %s, and says why", async (_, addressOf, words) => {
    const email = await addressOf();
    const page = await assign({ email });
    expect(page.status).toBeGreaterThanOrEqual(400);
    expect(readingOf(page)).toContain(words);
    expect(fieldsOf(formOf(page, `${test.path}/assign`)).email).toBe(email);
  });

  it("allows the owner to confirm that a tester has joined the store's test", async () => {
    const { slotId } = await test.giveSlot();
    await send(slotId, "confirm-join");
    expect(await test.slotWith(slotId)).toMatchObject({ joinCheckPending: false });
    const page = await owner.open(`${test.path}?slot=${slotId}`);
    expect(page.text).not.toContain("confirm-join");
  });

  it("allows the owner to replace a test key, which the page never shows", async () => {
    const { slotId } = await test.giveSlot();
    const answer = await send(slotId, "rotate-key");
    expect(answer.headers.get("location")).toBe(`${test.path}?done=key-rotated`);
    expect((await owner.follow(answer)).text).not.toContain("stk_");
  });

  it("removes a tester after an explanation, and shows the new open slot", async () => {
    const { slotId, seat, tester } = await test.giveSlot();
    const before = readingOf(await owner.open(`${test.path}?slot=${slotId}`));
    expect(before).toContain("The tester loses the slot for the rest of this cycle");
    const page = await owner.follow(await send(slotId, "remove"));
    const rows = [...page.text.matchAll(/<tr(?: class="(\w+)")?>\s*<th scope="row"[\s\S]*?<\/tr>/g)];
    const own = rows.filter(([row]) => row.includes(`Slot </span>${seat}<`));
    expect(own.map(([row, kind]) => [kind, row.includes(tester.email)])).toEqual([
      ["removed", true],
      [undefined, false],
    ]);
  });

  it("says if another person has already changed the slot", async () => {
    const { slotId } = await test.giveSlot();
    const page = await owner.open(`${test.path}?slot=${slotId}`);
    await test.world.call("POST", `/slots/${slotId}/remove`, {});
    const answer = await owner.send(page, `${test.path}/seats/${slotId}/remove`);
    expect(answer.status).toBe(409);
    expect(readingOf(answer)).toContain("This is not possible in the current state.");
  });

  it("is not shown under another app, and its slots are not shown under another cycle", async () => {
    const other = await makeCycleWithTwelveSlots(service);
    const wrongApp = `/console/cycles/${(await service.makeApp(test.world.owner)).id}/${test.world.cycleId}`;
    expect((await owner.open(wrongApp)).status).toBe(404);
    expect((await owner.open(`${wrongApp}/report`)).status).toBe(404);
    const foreign = await service.request("POST", `${test.path}/seats/${other.world.slotId}/accept`, {
      headers: {
        ...test.world.headers,
        origin: service.baseUrl,
        accept: "text/html",
        "content-type": "application/x-www-form-urlencoded",
      },
      body: "",
    });
    expect(foreign.status).toBe(404);
  });

  it("explains the consequences before it cancels a cycle", async () => {
    const other = await makeCycleWithTwelveSlots(service);
    const visitor = createBrowserWithoutScripts(service, other.world.headers);
    const before = await visitor.open(other.path);
    expect(readingOf(before)).toContain("no further days count, testers lose their slots");
    const page = await visitor.follow(await visitor.send(before, `${other.path}/cancel`));
    expect(readingOf(page)).toContain("Cancelled");
    expect(page.text).not.toMatch(/action="[^"]*(assign|cancel|accept)"/);
    const { email } = await service.makeUser();
    const late = await visitor.send(before, `${other.path}/assign`, { email });
    expect([late.status, readingOf(late)]).toEqual([
      422,
      expect.stringContaining("does not accept testers now"),
    ]);
  });
});
