import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createBrowserWithoutScripts } from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

/** A search reads 16 threads before it looks at the time: 15 of these, and the last one. */
const matching = 40;
const words = '"checkout page"';

/** Lets so much time pass at each look at the clock that a search ends after its first threads. */
function passQuickly(milliseconds: number): void {
  let now = performance.now();
  const spy = vi.spyOn(performance, "now").mockImplementation(() => {
    now += milliseconds;
    return now;
  });
  onTestFinished(() => spy.mockRestore());
}

describe.each(databases)("a search that exceeds its time on $name", (engine) => {
  let service: Service;
  let team: Team;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" }, still: true });
    team = await makeTeam(service);
    for (let sent = 0; sent < matching; sent++)
      await sendFeedback(service, team.app.key, { message: `The checkout page broke, ${sent}.` });
    await sendFeedback(service, team.app.key, { message: "The page of the checkout is fine." });
    await team.call("POST", `${team.at}/views`, { name: "Checkout", query: { q: words } });
  });
  afterAll(() => service.stop());

  const count = async (query: object): Promise<Record<string, unknown>> => {
    const answer = await team.call("GET", `${team.at}/feedback/counts?${new URLSearchParams({ ...query })}`);
    expect(answer.status).toBe(200);
    return Object(answer.body);
  };
  const change = (total: number, status: string) =>
    team.call("POST", `${team.at}/feedback/bulk`, {
      filter: { q: words },
      expected: { total, asOf: service.clock.now().toISOString() },
      change: { status },
    });
  const withStatus = async (status: string): Promise<number> =>
    Object((await team.call("GET", `${team.at}/feedback?status=${status}&limit=100`)).body).items.length;

  it("is continued until an exact count contains all threads of the list", async () => {
    passQuickly(25);
    expect(await count({ matching: "exact", q: words })).toMatchObject({ matching: { count: matching } });
  });

  it("returns a minimum number if the count is not exact, also in saved views", async () => {
    passQuickly(25);
    const counts = await count({ matching: "1", views: "1", q: words });
    expect(counts).toMatchObject({ matching: { count: "15+" }, saved: [{ name: "Checkout", count: "15+" }] });
  });

  it("returns a minimum number if an exact count takes too long", async () => {
    passQuickly(1_500);
    expect(await count({ matching: "exact", q: words })).toMatchObject({ matching: { count: "15+" } });
  });

  it("does not offer to select all threads if the count is not exact", async () => {
    const query = new URLSearchParams({ q: words, all: "1" });
    const headers = await service.signIn(team.owner);
    const browser = createBrowserWithoutScripts(service, headers);
    const page = async () => (await browser.open(`/console/feedback/${team.app.id}?${query}`)).text;
    expect(await page()).toContain(`${matching} selected`);
    passQuickly(1_500);
    const shown = await page();
    expect(shown).toContain("15+ threads cannot be selected at the same time. Add a filter to the list.");
    expect(shown).not.toContain("Select all");
    expect(shown).not.toContain(" selected</b>");
  });

  it("is continued until a bulk change contains all threads of the list", async () => {
    passQuickly(25);
    const part = await change(15, "in_progress");
    expect(part).toMatchObject({ status: 409, body: { code: "list_changed" } });
    expect(part.text).toContain(`The list has ${matching} threads now.`);
    expect(await withStatus("in_progress")).toBe(0);
    const whole = await change(matching, "in_progress");
    expect(whole, whole.text).toMatchObject({ status: 200, body: { changed: matching, skippedCount: 0 } });
    expect(await withStatus("in_progress")).toBe(matching);
  });

  it("ends without a change if the time of the bulk change is over", async () => {
    passQuickly(3_000);
    const over = await change(matching, "archived");
    expect(over).toMatchObject({ status: 400, body: { code: "bad_request", issues: [{ path: "filter" }] } });
    expect(await withStatus("archived")).toBe(0);
  });
});
