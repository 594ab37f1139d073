import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import { databases } from "../../../support/database/databases.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { makeTeam, type Team } from "../../../support/worlds/members/team.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("the lists to which the page of statistics links on $name", (engine) => {
  let service: Service;
  let team: Team;
  let browser: BrowserWithoutScripts;
  const sendAt = (time: string, subject: string, report: object = {}) => {
    service.clock.setOffset(Date.parse(time) - Date.now());
    return sendFeedback(service, team.app.key, { subject, ...report });
  };
  beforeAll(async () => {
    service = await startService({ engine, still: true });
    service.clock.setOffset(Date.parse("2026-10-20T12:00:00Z") - Date.now());
    team = await makeTeam(service);
    await sendAt("2026-10-24T21:58:00Z", "Before the long day");
    await sendAt("2026-10-24T22:02:00Z", "First of the long day", { type: "bug" });
    const into = await sendAt("2026-10-25T22:57:00Z", "Last of the long day");
    const merged = await sendAt("2026-10-25T22:58:00Z", "Merged");
    await sendAt("2026-10-25T23:02:00Z", "After the long day", { type: "question" });
    const done = await sendAt("2026-10-26T18:28:00Z", "Done");
    const working = await sendAt("2026-10-26T18:32:00Z", "In work");
    const change = (id: string, body: object) => team.call("PATCH", `/feedback/${id}`, body);
    await team.call("POST", `/feedback/${merged}/merge`, { into });
    await change(done, { status: "resolved" });
    await change(working, { status: "in_progress" });
    await change(into, { snoozedUntil: "2026-11-20T00:00:00Z" });
    browser = createBrowserWithoutScripts(service, await service.signIn(team.owner));
  });
  afterAll(() => service.stop());

  const allSubjects = [
    ...["Before the long day", "First of the long day", "Last of the long day", "Merged"],
    ...["After the long day", "Done", "In work"],
  ];

  /** Returns the subjects in the list at an address, and the number that the page shows above the list. */
  const listAt = async (href: string) => {
    const page = await browser.open(href.replaceAll("&amp;", "&"));
    expect(page.status).toBe(200);
    const text = readingOf(page);
    return {
      total: Number(/class="total"><b>(\d+)</.exec(page.text)?.[1]),
      subjects: allSubjects.filter((subject) => text.includes(subject)),
    };
  };

  const open = (zone: string) =>
    browser.open(
      `/console/numbers/${team.app.id}?${new URLSearchParams({ from: "2026-10-24", to: "2026-10-27", zone })}`,
    );

  it.each([
    ["UTC", { 24: ["Before the long day", "First of the long day"], 26: ["Done", "In work"] }],
    [
      "Europe/Berlin",
      {
        24: ["Before the long day"],
        25: ["First of the long day", "Last of the long day"],
        26: ["After the long day", "Done", "In work"],
      },
    ],
    ["Asia/Kolkata", { 26: ["Last of the long day", "After the long day", "Done"], 27: ["In work"] }],
  ])("contain exactly the new threads of a day in %s", async (zone, expected) => {
    const { text } = await open(zone);
    const days = [...text.matchAll(/<a href="([^"]*)">(\d+) Oct 2026<\/a><\/th>(.*?)<\/tr>/gs)];
    expect(days).toHaveLength(4);
    for (const [, href = "", day = "", cells = ""] of days) {
      const counts = [...cells.matchAll(/<td[^>]*>(\d+)</g)].slice(0, 4).map(([, count]) => Number(count));
      const { total, subjects } = await listAt(href);
      expect(total).toBe(counts.reduce((sum, count) => sum + count, 0));
      expect(subjects).toHaveLength(total);
      const wanted = new Map(Object.entries(expected)).get(day);
      if (wanted !== undefined) expect(subjects).toEqual(wanted);
      expect(text.split(`href="${href}"`)).toHaveLength(3);
    }
  });

  it("contain exactly the unfinished threads of an age", async () => {
    service.clock.setOffset(Date.parse("2026-10-26T22:30:00Z") - Date.now());
    const { text } = await open("UTC");
    const table = text.split(">Open threads by age</caption>")[1]?.split("</table>")[0] ?? "";
    const rows = [...table.matchAll(/<a href="([^"]*)">([^<]*)<\/a>.*?<td class="figure">(\d+)</gs)];
    const found = new Map<string, readonly string[]>();
    for (const [, href = "", name = "", count] of rows) {
      const { total, subjects } = await listAt(href);
      expect(total).toBe(Number(count));
      found.set(name, subjects);
    }
    expect(Object.fromEntries(found)).toEqual({
      "under 1 day": ["Last of the long day", "After the long day", "In work"],
      "1 to 7 days": ["Before the long day", "First of the long day"],
      "8 to 30 days": [],
      older: [],
    });
  });

  it("name the time to which they are limited, with a link that removes the limit", async () => {
    const { text } = await open("Asia/Kolkata");
    const [, href = ""] = /<a href="([^"]*)">26 Oct 2026<\/a>/.exec(text) ?? [];
    const page = await browser.open(href.replaceAll("&amp;", "&"));
    const chips = /<ul class="row" aria-label="Filters">.*?<\/ul>/s.exec(page.text)?.[0] ?? "";
    expect([...chips.matchAll(/class="badge">([^<]*)/g)].map(([, words]) => words)).toEqual([
      "From 25 Oct 2026, 18:30 UTC",
      "Before 26 Oct 2026, 18:30 UTC",
    ]);
    const [, without = ""] = [...chips.matchAll(/href="([^"]*)"/g)].map(([, address]) => address ?? "");
    expect((await listAt(without)).subjects).toContain("In work");
  });
});
