import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { createTesterCommandLine } from "../../support/worlds/tester-command-line.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const offer = [
  ...["--app-name", "Lantern", "--package-name", "com.example.lantern"],
  ...["--opt-in-url", "https://play.example/lantern", "--test-brief", "Light it."],
  ...["--screen", "Home", "--screen", "Map", "--verification-tier", "screenshot"],
];

describe("the command testing listing", () => {
  it("creates, changes, shows and lists listings", async () => {
    const { line } = await createTesterCommandLine(service);
    const made = await line.run(["testing", "listing", "create", ...offer, "--fields", "id"]);
    const id = made.stdout.trim();
    await line.run(["testing", "listing", "edit", id, "--seats", "20"]);
    const viewed = await line.run(["testing", "listing", "view", id, "--json"]);
    expect(viewed.json()).toMatchObject({ seats: 20, screens: ["Home", "Map"] });
    expect((await line.run(["testing", "listing", "list"])).stdout).toContain(id);
  });

  it("names everything that is missing", async () => {
    const { line } = await createTesterCommandLine(service);
    const ran = await line.run(["testing", "listing", "create", "--app-name", "Lantern"]);
    expect(ran).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("--package-name is missing\n  --opt-in-url is missing"),
    });
  });
});

describe("the command testing cycle", () => {
  it("plans and lists cycles, and cancels a cycle after a confirmation", async () => {
    const { line, listing } = await createTesterCommandLine(service);
    const plan = ["--starts-on", "2999-01-01", "--timezone", "Asia/Tokyo", "--json"];
    const made = await line.run(["testing", "cycle", "create", listing.id, ...plan]);
    const id = JSON.parse(made.stdout).cycle.id;
    expect((await line.run(["testing", "cycle", "list", listing.id])).stdout).toContain("Asia/Tokyo");
    expect((await line.run(["testing", "cycle", "cancel", id])).exit).toBe(2);
    const cancelled = await line.run(["testing", "cycle", "cancel", id, "--yes", "--json"]);
    expect(cancelled.json()).toMatchObject({ status: "cancelled" });
  });

  it("shows the slots of a cycle with one character for each day", async () => {
    const { line, cycle, slotId } = await createTesterCommandLine(service, { durationDays: 3, seats: 2 });
    await line.run(["proof", "submit", slotId, "--image", "shot.png"]);
    const { stdout } = await line.run(["testing", "cycle", "view", cycle.id]);
    const [first, second] = stdout.split("\n").map((row) => row.split("\t").slice(0, 3));
    expect(first).toEqual(["1", "P..", "active"]);
    expect(second).toEqual(["2", "---", "open"]);
  });

  it("shows first the verdict and what is open today, and says what each tester needs", async () => {
    const { line, cycle } = await createTesterCommandLine(service);
    const { stdout, stderr } = await line.run(["testing", "cycle", "view", cycle.id]);
    expect(stderr).toMatch(/verdict +(On track|Still possible|Cannot reach)/);
    expect(stderr).toMatch(/today +0 done, 1 open until \d{4}-/);
    expect(stdout.split("\n")[0]?.split("\t")).toContain("today_open");
    const read = await line.run(["testing", "cycle", "view", cycle.id, "--json"]);
    expect(read.json()).toMatchObject({
      verdict: { text: expect.any(String) },
      today: { counted: 0, open: 1 },
      attention: [{ seat: 1, state: "today_open" }],
      unbroken: [{ dayIndex: 1, testers: 0, possible: 1 }],
      slots: expect.any(Array),
    });
    const listed = await line.run(["testing", "cycle", "list", cycle.listingId]);
    expect(listed.stdout).toMatch(/\t(on_track|at_risk|out_of_reach)\n/);
  });

  it.each(["view", "report"])(
    "begins the line of a slot with the slot's id in 80 columns, in its %s",
    async (verb) => {
      const { line, cycle, slotId } = await createTesterCommandLine(service, { durationDays: 14, seats: 2 });
      const { stdout } = await line.run(["testing", "cycle", verb, cycle.id], { terminal: true });
      const starts = [...stdout.matchAll(/^[0-9a-f]{8}[0-9a-f-]*(?= )/gm)].map(([start]) => start);
      expect(starts).toHaveLength(2);
      expect(starts.filter((start) => slotId.startsWith(start))).toHaveLength(1);
    },
  );

  it("shows a report of facts", async () => {
    const { line, cycle } = await createTesterCommandLine(service);
    const ran = await line.run(["testing", "cycle", "report", cycle.id, "--json"]);
    expect(ran.json()).toMatchObject({ testers: 1, testersWithEveryDay: 0, statement: expect.any(String) });
  });
});

describe("the beginning of an id of closed testing", () => {
  it.each([
    ["a listing", "listing", ["testing", "listing", "view"]],
    ["a listing whose cycles are listed", "listing", ["testing", "cycle", "list"]],
    ["a cycle", "cycle", ["testing", "cycle", "view"]],
    ["a slot", "slot", ["testing", "slot", "confirm-join"]],
  ] as const)("identifies %s if no other id begins with it", async (_, thing, command) => {
    const { line, listing, cycle, slotId } = await createTesterCommandLine(service);
    const id = { listing: listing.id, cycle: cycle.id, slot: slotId }[thing];
    expect(await line.run([...command, id.slice(0, 35)])).toMatchObject({ exit: 0 });
    expect(await line.run([...command, "00000000-0000"])).toMatchObject({
      exit: 6,
      stderr: expect.stringContaining("There is no "),
    });
  });
});

describe("the command testing slot", () => {
  it("says that a slot of a finished cycle needs its whole id", async () => {
    const { line } = await createTesterCommandLine(service);
    expect((await line.run(["testing", "slot", "accept", "00000000"])).stderr).toBe(
      "error: There is no slot 00000000.\n`innkeep testing cycle view CYCLE` lists all. Write the whole id for a slot of a cycle that is over.\n",
    );
  });

  it("assigns an open slot to a known account, and removes the tester", async () => {
    const { line, cycle } = await createTesterCommandLine(service);
    const email = "known@example.org";
    await service.makeUser(email);
    const slotId = cycle.slotIds[1] ?? "";
    const assigned = await line.run(["testing", "slot", "assign", slotId, "--email", email, "--json"]);
    expect(assigned.json()).toMatchObject({ status: "active", tester: { email } });
    const removed = await line.run(["testing", "slot", "remove", slotId, "--yes", "--json"]);
    expect(removed.json()).toMatchObject({ status: "removed" });
  });

  it.each([
    ["accept", [], 7],
    ["decline", ["--yes"], 7],
    ["confirm-join", [], 0],
    ["rotate-key", ["--yes"], 0],
    ["remove", [], 2],
  ])("ends for %s of an active slot with %j with exit code %i", async (verb, argv, exit) => {
    const { line, slotId } = await createTesterCommandLine(service);
    expect((await line.run(["testing", "slot", verb, slotId, ...argv])).exit).toBe(exit);
  });
});

describe("the short forms of closed testing", () => {
  it("listing and cycle do the same as testing listing and testing cycle", async () => {
    const { line, listing, cycle } = await createTesterCommandLine(service);
    for (const words of [
      ["listing", "list"],
      ["listing", "view", listing.id],
      ["cycle", "list", listing.id],
      ["cycle", "view", cycle.id],
    ]) {
      const short = await line.run([...words, "--json"]);
      expect(short.json()).toEqual((await line.run(["testing", ...words, "--json"])).json());
      expect((await line.run([`${words[0]}s`, ...words.slice(1), "--json"])).stdout).toBe(short.stdout);
    }
    expect((await line.run(["cycle", "cancel", cycle.id.slice(0, 35), "--yes"])).exit).toBe(0);
  });

  it("slot can be used by the tester and by the owner, each with a separate token", async () => {
    const { line, cycle, slotId } = await createTesterCommandLine(service);
    const email = "short@example.org";
    await service.makeUser(email);
    const other = cycle.slotIds[1] ?? "";
    const assigned = await line.run(["slot", "assign", other, "--email", email, "--json"]);
    expect(assigned.json()).toMatchObject({ status: "active", tester: { email } });
    expect((await line.run(["slot", "list", "--json"])).json()).toMatchObject({ slots: [{ slotId }] });
    expect((await line.run(["slot", "confirm-join", slotId.slice(0, 35)])).exit).toBe(0);
    expect(
      (await line.run(["slot", "rotate-key", slotId, "--with-test-keys", "--json"])).json(),
    ).toMatchObject({
      slot: { testKey: expect.stringMatching(/^stk_/) },
    });
    expect(await line.run(["slot", "remove", slotId])).toMatchObject({ exit: 2 });
    expect((await line.run(["slot", "rm", slotId, "--yes", "--json"])).json()).toMatchObject({
      status: "removed",
    });
    const { stdout } = await line.run(["slot", "--help"]);
    expect(stdout).toContain("are `innkeep testing slot`, and also work as `innkeep slot`.");
  });
});
