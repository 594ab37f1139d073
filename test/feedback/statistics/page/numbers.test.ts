import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { makeTeam, type Team } from "../../../support/worlds/members/team.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the page of statistics, without scripts", () => {
  let service: Service;
  let team: Team;
  let viewer: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService({ still: true });
    service.clock.setOffset(Date.parse("2026-11-20T23:40:00Z") - Date.now());
    team = await makeTeam(service);
    viewer = createBrowserWithoutScripts(service, (await team.join("viewer")).headers);
    const bug = { type: "bug", metadata: { appVersion: "5.2.1" } };
    for (let sent = 0; sent < 4; sent++) await sendFeedback(service, team.app.key, bug);
    const repeated = { type: "question", dedupeKey: "ci:one", subject: "<b>It & stops</b>" };
    const id = await sendFeedback(service, team.app.key, repeated);
    await sendFeedback(service, team.app.key, repeated);
    await team.call("POST", `/feedback/${id}/messages`, { direction: "outbound", body: "Thank you." });
  });
  afterAll(() => service.stop());

  const open = (query = "") => viewer.open(`/console/numbers/${team.app.id}${query}`);

  it("shows a viewer what arrived, with a table for each chart", async () => {
    const page = await open();
    const text = readingOf(page);
    expect(text).toContain("22 Oct 2026 to 20 Nov 2026, time zone UTC");
    expect(text).toContain("New threads 5 0 in the 30 days before");
    expect(text).toContain("20 Nov 2026 4 0 1 0 1 0 1");
    expect(text).toContain("<b>It & stops</b> ×2");
    expect(page.text).not.toContain("<b>It");
  });

  it("counts new threads and repeated reports apart, and the report of a merged thread as repeated", async () => {
    const other = await makeTeam(service);
    const owner = createBrowserWithoutScripts(service, (await other.join("viewer")).headers);
    const [into, id] = [
      await sendFeedback(service, other.app.key),
      await sendFeedback(service, other.app.key),
    ];
    const read = async () => readingOf(await owner.open(`/console/numbers/${other.app.id}`));
    const before = await read();
    expect(before).toContain("New threads 2 0 in");
    expect(before).toContain("Besides the new threads, 0 repeated reports came in.");
    await other.call("POST", `/feedback/${id}/merge`, { into });
    const after = await read();
    expect(after).toContain("New threads 1 0 in");
    expect(after).toContain("Besides the new threads, 1 repeated report came in.");
    expect(after).toContain("New threads that arrived less than 24 hours ago count, too");
  });

  /** The widths of the bars of a table in the page, from 0 to 100. */
  const barsOf = (text: string, caption: string): readonly number[] => {
    const [, table = ""] = text.split(`>${caption}</caption>`);
    return [...(table.split("</table>")[0] ?? "").matchAll(/class="filled[^"]*" width="([\d.]+)"/g)].map(
      ([, width]) => Math.round(Number(width)),
    );
  };

  it("draws each share as the same part of the whole bar", async () => {
    const { text } = await open();
    expect(barsOf(text, "First replies")).toEqual([20, 20, 20, 20, 80]);
    const other = await service.makeApp(team.owner);
    for (const type of ["bug", "bug", "question", "question", "question"])
      await sendFeedback(service, other.key, { type, metadata: { appVersion: "7.0" } });
    const owner = createBrowserWithoutScripts(service, await service.signIn(team.owner));
    const page = await owner.open(`/console/numbers/${other.id}`);
    expect(readingOf(page)).toContain("7.0 40 of 100");
    expect(barsOf(page.text, "Bugs by app version")).toEqual([40]);
  });

  it("draws counts in proportion to the greatest, and says of what the percentages of agents are", async () => {
    const page = await open();
    expect(barsOf(page.text, "Open threads by age")).toEqual([100, 0, 0, 0]);
    expect(readingOf(page)).toContain("The bars show the counts. Each percentage is of the row above.");
  });

  it("shows the numbers at the lines of the chart", async () => {
    const { text } = await open();
    expect(text).toMatch(/class="scale[^"]*"[^>]*><span>6<\/span><span>3<\/span><span>0<\/span>/);
  });

  it("says that the replies to reports of the last day are not due yet", async () => {
    expect(readingOf(await open())).toContain(
      "Answered within 24 h 20 % the other reports can still get a reply in time",
    );
    service.clock.advance(30 * 3_600_000);
    expect(readingOf(await open())).toContain("Answered within 24 h 20 % nothing to compare with");
    service.clock.advance(-30 * 3_600_000);
  });

  it("can show the days of another time zone, and other periods", async () => {
    expect(readingOf(await open("?days=7&zone=Asia%2FKolkata"))).toContain("21 Nov 2026 4 0 1 0 1 0 1");
    const week = await open("?days=7");
    expect(readingOf(week)).toContain("14 Nov 2026 to 20 Nov 2026");
    const own = await open("?from=2026-11-20&to=2026-11-20&zone=UTC");
    expect(readingOf(own)).toContain("20 Nov 2026 to 20 Nov 2026");
  });

  it("shows a thread without a number if no number can be stored", async () => {
    const { database } = service.deps;
    const broken = "BEFORE UPDATE OF number ON feedback BEGIN SELECT RAISE(ABORT, 'full'); END";
    await database.write((tx) => tx.run(`CREATE TRIGGER broken ${broken}`));
    const other = await makeTeam(service);
    const report = { dedupeKey: "ci:full", subject: "The disk is full" };
    for (let sent = 0; sent < 2; sent++) await sendFeedback(service, other.app.key, report);
    const answer = await other.call("GET", `${other.at}/statistics`);
    const owner = createBrowserWithoutScripts(service, await service.signIn(other.owner));
    const page = await owner.open(`/console/numbers/${other.app.id}`);
    await database.write((tx) => tx.run("DROP TRIGGER broken"));
    expect(answer.body).toMatchObject({ top: [{ number: null, subject: "The disk is full" }] });
    expect(readingOf(page)).toContain("The disk is full ×2");
    expect(page.text).not.toMatch(/#(0|null)\b/);
  });

  it("shows no percentage of fewer than five reports", async () => {
    const text = readingOf(await open());
    expect(text).toContain("No version has five reports.");
    expect(text).toContain("within 1 h 20 %");
    expect(readingOf(await open("?from=2026-11-19&to=2026-11-19"))).toContain("within 1 h 0 within 8 h 0");
  });

  it("shows the time of nine of ten first replies only from ten first replies on (rule F64)", async () => {
    expect(readingOf(await open())).toContain(
      "9 of 10 first replies came within: – (only shown with at least 10 first replies, this period has 1). The median is an estimate.",
    );
    const other = await service.makeApp(team.owner);
    for (let sent = 0; sent < 10; sent++) {
      const id = await sendFeedback(service, other.key, {});
      await team.call("POST", `/feedback/${id}/messages`, { direction: "outbound", body: "Thank you." });
    }
    const owner = createBrowserWithoutScripts(service, await service.signIn(team.owner));
    expect(readingOf(await owner.open(`/console/numbers/${other.id}`))).toMatch(
      /9 of 10 first replies came within \d+ min\./,
    );
  });

  it("offers the days as a CSV file", async () => {
    expect((await open("?days=7")).text).toContain(
      encodeURIComponent(
        "day,bug,feature,question,general,repeats,resolved,replies\r\n2026-11-14,0,0,0,0,0,0,0\r\n",
      ),
    );
  });

  it("refuses a period that is too long", async () => {
    const long = await open("?from=2020-01-01&to=2026-11-20");
    expect(long.status).toBe(400);
    expect(readingOf(long)).toContain("must end a period of at most 366 days");
    expect(readingOf(long)).toContain("22 Oct 2026 to 20 Nov 2026");
    expect(readingOf(await open("?zone=Nowhere"))).toContain(
      "must be an IANA time zone such as Europe/London",
    );
  });

  it("has a summary on the start page", async () => {
    const home = readingOf(await viewer.open("/console"));
    expect(home).toContain("All apps, last 7 days: 5 new reports, 0 resolved, 1 reply.");
  });
});
