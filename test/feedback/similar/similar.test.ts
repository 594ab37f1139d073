import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

interface Found {
  readonly id: string;
  readonly shared: string[];
}

describe.each(databases)("the threads that are similar to a thread, on $name (rule F76)", (engine) => {
  let service: Service;
  let team: Team;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    team = await makeTeam(service);
  });
  afterAll(() => service.stop());

  const send = (message: string, more: object = {}) =>
    sendFeedback(service, team.app.key, { message, ...more });
  const similar = async (id: string, call = team.call): Promise<Found[]> =>
    Object((await call("GET", `/feedback/${id}/similar`)).body).items;
  const idsOf = async (id: string) => (await similar(id)).map((one) => one.id);
  /** Other threads, so that common words are common. */
  const others = async () => {
    for (let at = 0; at < 15; at += 1) await send(`Please help with the account number ${at}, thank you.`);
  };

  it("share rare words with the thread, are at most three, and begin with the most similar", async () => {
    await others();
    const near = await send("The shopping list loses walnuts after the sync.");
    const nearest = await send("After a sync, walnuts vanish from my shopping list!");
    const far = await send("Please help with the account, the shopping cart is thank you.");
    const own = await send("Walnuts vanish from the shopping list after each sync");
    expect(await idsOf(own)).toEqual([nearest, near]);
    const [first] = await similar(own);
    expect(first?.shared).toEqual(expect.arrayContaining(["Walnuts", "vanish"]));
    expect(await idsOf(far)).toEqual([]);
    for (let at = 0; at < 3; at += 1) await send("Walnuts vanish from the shopping list after each sync");
    expect((await similar(own)).length).toBe(3);
  });

  it("are found also in scripts without spaces", async () => {
    await others();
    const other = await send("购物清单在同步后丢失了");
    expect(await idsOf(await send("同步以后我的购物清单消失"))).toEqual([other]);
  });

  it("are existing threads of the same app, and never the thread itself", async () => {
    await others();
    const text = "Walnuts vanish from the shopping list after each sync";
    const own = await send(text);
    const elsewhere = await makeTeam(service);
    await sendFeedback(service, elsewhere.app.key, { message: text });
    expect(await idsOf(own)).toEqual([]);
    const other = await send(text);
    expect(await idsOf(own)).toEqual([other]);
    await team.call("POST", `/feedback/${other}/merge`, { into: own });
    expect(await idsOf(own)).toEqual([]);
    expect((await elsewhere.call("GET", `/feedback/${own}/similar`)).status).toBe(404);
  });

  it("are links on a page, where a maintainer without scripts merges into one of them", async () => {
    await others();
    const into = await send("Walnuts vanish from the shopping list after a sync", {
      subject: "Lost walnuts",
    });
    const own = await send("The shopping list loses walnuts after each sync");
    const at = (id: string, part = "") => `/console/feedback/${team.app.id}/${id}${part}`;
    const maria = createBrowserWithoutScripts(service, (await team.join("maintainer")).headers);
    const viewer = createBrowserWithoutScripts(service, (await team.join("viewer")).headers);
    expect((await maria.open(at(own))).text).toContain(`href="${at(own, "/similar")}"`);
    const page = await maria.open(at(own, "/similar"));
    expect(readingOf(page)).toMatch(/Lost walnuts.*Both have.*walnuts.*Merge into #16/);
    const seen = await viewer.open(at(own, "/similar"));
    expect([seen.text.includes("Lost walnuts"), seen.text.includes("Merge into")]).toEqual([true, false]);
    const merged = await maria.send(page, at(own, "/merge"));
    expect(merged.headers.get("location")).toContain(`${at(into)}?done=merged`);
    expect((await maria.open(at(own, "/similar"))).headers.get("location")).toContain(at(into));
  });
});
