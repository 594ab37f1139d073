import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { statistics } from "../../../server/feedback/statistics/store.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Statistics } from "../../../src/contract/statistics.ts";
import { databases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

const hour = 3_600_000;
const start = Date.parse("2026-11-20T10:00:00Z");

describe.each(databases)("the statistics of an app on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, still: true });
  });
  afterAll(() => service.stop());

  /** A new app at the same time as all others. */
  const newTeam = async () => {
    service.clock.setOffset(start - Date.now());
    const team = await makeTeam(service);
    const send = (report: object = {}) => sendFeedback(service, team.app.key, report);
    const read = async (query: Record<string, string> = {}): Promise<Statistics> => {
      const answer = await team.call("GET", `${team.at}/statistics?${new URLSearchParams(query)}`);
      expect(answer).toMatchObject({ status: 200 });
      return Object(answer.body);
    };
    const change = (id: string, body: object) => team.call("PATCH", `/feedback/${id}`, body);
    const reply = (id: string) =>
      team.call("POST", `/feedback/${id}/messages`, { direction: "outbound", body: "Thank you." });
    return { ...team, send, read, change, reply };
  };
  const totals = ({ perDay }: Statistics) => ({
    bug: perDay.reduce((sum, day) => sum + day.new.bug, 0),
    question: perDay.reduce((sum, day) => sum + day.new.question, 0),
    repeats: perDay.reduce((sum, day) => sum + day.repeats, 0),
    resolved: perDay.reduce((sum, day) => sum + day.resolved, 0),
    replies: perDay.reduce((sum, day) => sum + day.replies, 0),
  });

  it("contain the last 30 days in UTC if the request names no period", async () => {
    const { read } = await newTeam();
    const { from, to, zone, perDay, firstReply, top, versions } = await read();
    expect({ from, to, zone }).toEqual({ from: "2026-10-22", to: "2026-11-20", zone: "UTC" });
    expect(perDay).toHaveLength(30);
    expect(firstReply).toEqual({
      median: null,
      p90: null,
      within: { "1h": 0, "8h": 0, "24h": 0, "3d": 0 },
      none: 0,
    });
    expect({ top, versions }).toEqual({ top: [], versions: [] });
  });

  it.each([
    ["a period that ends before it begins", { from: "2026-11-02", to: "2026-11-01" }, "to"],
    ["367 days", { from: "2025-01-01", to: "2026-01-02" }, "to"],
    ["a day that does not exist", { from: "2026-02-30" }, "from"],
    ["an unknown time zone", { zone: "Europe/Atlantis" }, "zone"],
  ])("refuse %s", async (_, query, path) => {
    const { call, app } = await newTeam();
    expect(await call("GET", `/apps/${app.id}/statistics?${new URLSearchParams(query)}`)).toMatchObject({
      status: 400,
      body: { issues: [{ path }] },
    });
  });

  it("contain up to 366 days", async () => {
    const { read } = await newTeam();
    expect((await read({ from: "2025-01-01", to: "2026-01-01" })).perDay).toHaveLength(366);
  });

  it("can be read only by members, and by viewers too", async () => {
    const team = await newTeam();
    const viewer = await team.join("viewer");
    expect(await viewer.call("GET", `${team.at}/statistics`)).toMatchObject({ status: 200 });
    const stranger = await team.newcomer();
    expect(await stranger.call("GET", `${team.at}/statistics`)).toMatchObject({ status: 404 });
  });

  it("count a report on the day in the reader's time zone", async () => {
    const { send, read } = await newTeam();
    service.clock.setOffset(Date.parse("2026-11-20T20:40:00Z") - Date.now());
    await send({ type: "question" });
    const dayIn = async (zone: string) =>
      (await read({ zone, from: "2026-11-19", to: "2026-11-22" })).perDay.find((day) => day.new.question > 0)
        ?.day;
    expect(await dayIn("UTC")).toBe("2026-11-20");
    expect(await dayIn("Asia/Kolkata")).toBe("2026-11-21");
    expect(await dayIn("America/New_York")).toBe("2026-11-20");
  });

  it("count a resolved thread once, on the day on which it was last resolved", async () => {
    const { send, read, change } = await newTeam();
    const id = await send();
    await change(id, { status: "resolved" });
    expect(totals(await read())).toMatchObject({ resolved: 1 });
    service.clock.advance(30 * hour);
    await change(id, { status: "in_progress" });
    expect(totals(await read())).toMatchObject({ resolved: 0 });
    await change(id, { status: "resolved" });
    await change(id, { status: "archived" });
    const { perDay } = await read();
    expect(perDay.filter(({ resolved }) => resolved !== 0)).toMatchObject([
      { day: "2026-11-21", resolved: 1 },
    ]);
  });

  it("measure the time until the first reply, and count all replies", async () => {
    const { send, read, reply, call } = await newTeam();
    const id = await send();
    await send();
    await call("POST", `/feedback/${id}/messages`, { direction: "note", body: "Look at this." });
    service.clock.advance(2 * hour);
    await reply(id);
    service.clock.advance(40 * hour);
    await reply(id);
    const answer = await read();
    expect(totals(answer)).toMatchObject({ replies: 2 });
    // Two hours are the upper limit of their range. The only waiting time counts as the middle of that range.
    expect(answer.firstReply).toEqual({
      median: 1.5 * hour,
      p90: 1.9 * hour,
      within: { "1h": 0, "8h": 1, "24h": 1, "3d": 1 },
      none: 1,
    });
  });

  it("count a reply as immediate if the clock was set back before it", async () => {
    const { send, read, reply } = await newTeam();
    const id = await send();
    service.clock.advance(-5 * hour);
    await reply(id);
    expect((await read()).firstReply).toMatchObject({ within: { "1h": 1 }, none: 0 });
  });

  it("move a report to another type if its type is changed", async () => {
    const { send, read, change } = await newTeam();
    const id = await send({ type: "question", metadata: { appVersion: "2.0.1" } });
    await change(id, { category: "bug" });
    const answer = await read();
    expect(totals(answer)).toMatchObject({ question: 0, bug: 1 });
    expect(answer.versions).toEqual([{ version: "2.0.1", reports: 1, bugs: 1 }]);
  });

  it("name the threads that were reported most often", async () => {
    const { send, read } = await newTeam();
    const report = { type: "bug", dedupeKey: "ci:sync", subject: "Sync loses the last item" };
    const id = await send(report);
    service.clock.advance(24 * hour);
    await send(report);
    await send(report);
    await send();
    expect(await read({ from: "2026-11-20", to: "2026-11-21" })).toMatchObject({
      perDay: [{ repeats: 0 }, { repeats: 2 }],
      top: [{ id, subject: "Sync loses the last item", count: 3, days: [1, 2] }],
    });
    expect(await read({ from: "2026-11-21", to: "2026-11-21" })).toMatchObject({ top: [{ id, count: 2 }] });
  });

  it("do not count reports of blocked senders until they are released", async () => {
    const { send, read, call, at } = await newTeam();
    await call("POST", `${at}/blocked-senders`, { kind: "address", sender: "spam@example.org" });
    await send({ email: "spam@example.org", type: "bug", metadata: { version: "1.0" } });
    expect(totals(await read())).toMatchObject({ bug: 0 });
    const hidden = Object((await call("GET", `${at}/hidden-feedback`)).body).items;
    expect(await call("POST", `/hidden-feedback/${hidden[0].id}/release`)).toMatchObject({ status: 200 });
    const answer = await read();
    expect(totals(answer)).toMatchObject({ bug: 1 });
    expect(answer.versions).toEqual([{ version: "1.0", reports: 1, bugs: 1 }]);
  });

  it("keep their numbers when a thread is deleted, and no longer name the thread", async () => {
    const { send, read, call, change, reply } = await newTeam();
    const report = { type: "bug", dedupeKey: "ci:gone", metadata: { appVersion: "3.1" } };
    const id = await send(report);
    await send(report);
    await reply(id);
    await change(id, { status: "resolved" });
    const before = await read();
    await call("DELETE", `/feedback/${id}`);
    expect(before.top).toHaveLength(1);
    expect(await read()).toEqual({ ...before, top: [] });
  });

  it("keep their numbers when a person is erased", async () => {
    const { send, read, call } = await newTeam();
    await send({ type: "bug", email: "kim@example.org", message: "I am Kim." });
    const before = await read();
    expect(before.openByAge).toEqual({ "1d": 1, "7d": 0, "30d": 0, older: 0 });
    const { id } = Object((await call("POST", "/people/erase", { email: "kim@example.org" })).body);
    await eventually(async () =>
      expect((await call("GET", `/people/erasures/${id}`)).body).toMatchObject({ status: "done" }),
    );
    expect((await read()).openByAge).toEqual({ "1d": 0, "7d": 0, "30d": 0, older: 0 });
    expect(totals(await read())).toEqual(totals(before));
  });

  it("show the age of the open threads", async () => {
    const { send, read, change } = await newTeam();
    await send();
    const resolved = await send();
    await change(resolved, { status: "resolved" });
    service.clock.advance(8 * 24 * hour);
    const working = await send();
    await change(working, { status: "in_progress" });
    service.clock.advance(2 * 24 * hour);
    await send();
    expect((await read()).openByAge).toEqual({ "1d": 1, "7d": 1, "30d": 1, older: 0 });
  });

  it("count at most 100 versions of a day separately, and all other versions together", async () => {
    const { app, send, change, read } = await newTeam();
    const most = limits.statistics.versionsOfDay;
    const sendVersion = (n: number) => send({ type: "bug", metadata: { appVersion: `1.${n}` } });
    for (let n = 0; n < most + 3; n += 1) await sendVersion(n);
    await sendVersion(0);
    const last = await sendVersion(most + 9);
    const { versions } = await read();
    expect(versions).toHaveLength(limits.statistics.versions);
    expect(versions[0]).toEqual({ version: "1.0", reports: 2, bugs: 2 });
    expect(versions.at(-1)).toEqual({ version: "other", reports: 4, bugs: 4 });
    await change(last, { category: "question" });
    expect((await read()).versions.at(-1)).toEqual({ version: "other", reports: 4, bugs: 3 });
    await change(last, { category: "bug" });
    const counted = () =>
      service.deps.database.all<{ measure: string }>(
        "SELECT DISTINCT measure FROM measure_counts WHERE app_id = ? AND measure LIKE 'version:bug:%'",
        app.id,
      );
    expect(await counted()).toHaveLength(most + 1);
    await service.deps.database.write(async (tx) => {
      await tx.run("DELETE FROM measure_counts WHERE app_id = ?", app.id);
      await tx.run("DELETE FROM report_counts WHERE app_id = ?", app.id);
      await statistics.countStored(tx, app.id);
    });
    expect(await counted()).toHaveLength(most + 1);
    service.clock.advance(24 * hour);
    await sendVersion(most + 11);
    expect((await counted()).map(({ measure }) => measure)).toContain(`version:bug:1.${most + 11}`);
  });

  it("use only the versions of the metadata, and no other texts", async () => {
    const { send, read } = await newTeam();
    for (const appVersion of ["v2.4.0 (118)", "2.4.0-beta.1", "ada@example.org", "+49 151 1234567", "7"])
      await send({ type: "feature", metadata: { appVersion } });
    expect((await read()).versions).toEqual([{ version: "2.4.0", reports: 2, bugs: 0 }]);
  });
});
