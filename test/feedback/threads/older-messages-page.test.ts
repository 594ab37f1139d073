import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { numbered, writeMessages } from "../../support/worlds/long-thread.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("the page with older messages of a thread on $name", (engine) => {
  let service: Service;
  let team: Team;
  let viewer: BrowserWithoutScripts;
  let maintainer: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
    team = await makeTeam(service);
    viewer = createBrowserWithoutScripts(service, (await team.join("viewer")).headers);
    maintainer = createBrowserWithoutScripts(service, (await team.join("maintainer")).headers);
  });
  afterAll(() => service.stop());

  const address = (id: string, part = "") => `/console/feedback/${team.app.id}/${id}${part}`;

  async function longThread(count = 1_203) {
    const id = await sendFeedback(service, team.app.key);
    return { id, ids: await writeMessages(service, id, numbered(count)) };
  }

  /** The address of the link with these words; undefined if there is none. */
  const linkIn = ({ text }: Answer, words: string): string | undefined =>
    new RegExp(`<a[^>]* href="([^"]*)"[^>]*>${words}</a>`).exec(text)?.[1]?.replaceAll("&amp;", "&");

  const open = (who: BrowserWithoutScripts, link = "") => who.open(link.replace(/#.*/, ""));

  const notesIn = ({ text }: Answer): number[] =>
    [...text.matchAll(/>Note (\d+)\.</g)].map(([, number]) => Number(number));

  it("is found by links without scripts, and shows each message once", async () => {
    const { id } = await longThread();
    for (const who of [viewer, maintainer]) {
      let page = await open(who, address(id));
      expect(readingOf(page)).toContain("99+ older messages not shown.");
      const seen = [notesIn(page)];
      for (let link = linkIn(page, "Show older messages"); link; link = linkIn(page, "Show older messages")) {
        page = await open(who, link);
        expect(page.status).toBe(200);
        seen.unshift(notesIn(page));
      }
      expect(seen.map(({ length }) => length)).toEqual([203, 500, 500]);
      expect(seen.flat()).toEqual(Array.from({ length: 1_203 }, (_, n) => n));
      expect(readingOf(page)).not.toContain("not shown.");
    }
  });

  it("leads back to the newest messages, and keeps the place in the list", async () => {
    const { id } = await longThread(501);
    const newest = await open(maintainer, address(id, "?list=status%3Dopen&at=2"));
    const older = await open(maintainer, linkIn(newest, "Show older messages"));
    expect(notesIn(older)).toEqual([0]);
    const back = linkIn(older, "Show the newest messages");
    expect(back).toMatch(/\?list=status%3Dopen&at=\d[^#]*#timeline$/);
    expect(notesIn(await open(maintainer, back))).toEqual(Array.from({ length: 500 }, (_, n) => n + 1));
    expect(older.text).toContain(`<a class="back" href="${back?.replaceAll("&", "&amp;")}"`);
  });

  it("has no form of the thread, and no part that an open page replaces", async () => {
    const { id, ids } = await longThread(3);
    const { text } = await open(maintainer, address(id, `/older?before=${ids[2]}`));
    const main = text.slice(text.indexOf("<main"));
    expect(main).not.toContain("<form");
    expect(main).not.toContain("data-live");
    expect((await open(maintainer, address(id))).text).toContain("data-live");
  });

  it("does not mark the thread as read", async () => {
    const reader = await team.join("viewer");
    const { id, ids } = await longThread(3);
    const isUnread = async () => {
      const { body } = await reader.call("GET", `${team.at}/feedback?unread=true`);
      return JSON.stringify(body).includes(id);
    };
    const browser = createBrowserWithoutScripts(service, reader.headers);
    expect((await open(browser, address(id, `/older?before=${ids[2]}`))).status).toBe(200);
    expect(await isUnread()).toBe(true);
    await open(browser, address(id));
    expect(await isUnread()).toBe(false);
  });

  it("says so if there are no older messages", async () => {
    const { id, ids } = await longThread(1);
    const page = await open(viewer, address(id, `/older?before=${ids[0]}`));
    expect(readingOf(page)).toContain("There are no older messages.");
    expect(linkIn(page, "Show the newest messages")).toBe(address(id, "#timeline"));
  });

  it("shows only the changes of the thread between its messages", async () => {
    const { id, ids } = await longThread(3);
    await team.call("PATCH", `/feedback/${id}`, { subject: "Tea" });
    const changed = "changed the subject";
    expect(readingOf(await open(viewer, address(id)))).toContain(changed);
    expect(readingOf(await open(viewer, address(id, `/older?before=${ids[2]}`)))).not.toContain(changed);
  });

  it("is found from the link to a report of a merged thread", async () => {
    const merged = await sendFeedback(service, team.app.key);
    const { id } = await longThread(3);
    await team.call("POST", `/feedback/${merged}/merge`, { into: id });
    const link = `<a href="#message-${merged}">`;
    expect((await open(viewer, address(id))).text).toContain(link);
    service.clock.advance(1_000);
    await service.deps.database.write((tx) =>
      tx.run("UPDATE messages SET created_at = '2025-01-01T00:00:00.000Z' WHERE id = ?", merged),
    );
    await writeMessages(service, id, numbered(500));
    const newest = await open(viewer, address(id));
    expect(newest.text).not.toContain(link);
    const at = address(id, `/older?message=${merged}`);
    expect(newest.text).toContain(`<a href="${at}">`);
    const { status, headers } = await open(viewer, at);
    const target = headers.get("location") ?? "";
    expect([status, target.replace(/.*#/, "")]).toEqual([303, `message-${merged}`]);
    const older = await open(viewer, target);
    expect(older.text).toContain(`id="message-${merged}"`);
  });

  it.each(["seven", "01a2075d-e2c2-77a8-bee3-9e65e3382356"])(
    "is an error page for `before=%s`",
    async (before) => {
      const { id } = await longThread(1);
      const page = await open(viewer, address(id, `/older?before=${before}`));
      expect(page.status).toBe(400);
      expect(readingOf(page)).toMatch(/`before` must be/);
    },
  );

  it("leads to the thread if its address names no message, or an unknown one", async () => {
    const { id } = await longThread(1);
    for (const query of ["", "?message=seven"]) {
      const { headers } = await open(viewer, address(id, `/older${query}`));
      expect(headers.get("location")).toBe(address(id, "#timeline"));
    }
  });

  it("is not found by a stranger", async () => {
    const { id, ids } = await longThread(2);
    const stranger = createBrowserWithoutScripts(service, (await team.newcomer()).headers);
    for (const query of [`?before=${ids[1]}`, `?message=${ids[1]}`, ""])
      expect((await open(stranger, address(id, `/older${query}`))).status).toBe(404);
  });
});
