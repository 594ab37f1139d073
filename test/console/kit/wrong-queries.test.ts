import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

const long = "word ".repeat(60).trim();

describe("a page of the console with a query in its address that is not possible", () => {
  let service: Service;
  let team: Team;
  let thread: string;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    team = await makeTeam(service);
    thread = await sendFeedback(service, team.app.key, {});
  });
  afterAll(() => service.stop());

  const open = async (path: string) => {
    const browser = createBrowserWithoutScripts(service, await service.signIn(team.owner));
    const named = path.replace(":app", team.app.id).replace(":thread", thread);
    return browser.open(`/console/${named}`);
  };

  it.each(["feedback/:app", "feedback/:app/:thread/merge", "search", "changelog/:app"])(
    "names the limit of a search that is too long and keeps its text: %s",
    async (path) => {
      const page = await open(`${path}?${new URLSearchParams({ q: long })}`);
      expect([page.status, readingOf(page)]).toEqual([
        400,
        expect.stringContaining("The search must have at most 200 characters. It has 299."),
      ]);
      expect(page.text).toContain(`value="${long}"`);
    },
  );

  it("says why a text cannot be searched", async () => {
    const page = await open("search?q=a%00b");
    expect([page.status, readingOf(page)]).toEqual([
      400,
      expect.stringContaining("The search must not contain NUL characters or lone surrogates."),
    ]);
  });

  it("shows the opened thread beside the inbox with a search that is too long", async () => {
    const page = await open(`feedback/:app?${new URLSearchParams({ q: long, open: thread, all: "1" })}`);
    expect(page.text).toContain(`data-opened="${thread}"`);
    expect(readingOf(page)).toContain("The search must have at most 200 characters.");
  });

  it.each([
    ["feedback/:app?status=unknown", "`status` must be"],
    ["feedback/:app?sender=".concat("a".repeat(400)), "`sender` must have at most 254 characters"],
    ["feedback/:app?from=soon", "`from` must be"],
    ["feedback?status=unknown", "`status` must be"],
    ["search?q=sync&status=unknown", "`status` must be"],
    ["audit?actor=".concat("a".repeat(400)), "must have at most 254 characters"],
    ["numbers/:app?from=soon&to=2026-01-01", "must be a date, YYYY-MM-DD"],
    ["numbers/:app?from=2026-01-01&to=soon", "must be a date, YYYY-MM-DD"],
  ])("names the part of the address that is wrong: %s", async (path, message) => {
    const page = await open(path);
    expect([page.status, readingOf(page)]).toEqual([400, expect.stringContaining(message)]);
  });

  it.each(["feedback/:app?cursor=wrong", "feedback/wrong?status=open", "cycles/:app/wrong"])(
    "is not found if a cursor or an id is wrong: %s",
    async (path) => {
      expect((await open(path)).status).toBe(404);
    },
  );

  it.each(["search", "apps/:app/feedback"])("is the same fault in the API: %s", async (path) => {
    const at = `/${path.replace(":app", team.app.id)}?${new URLSearchParams({ q: long })}`;
    expect(await team.call("GET", at)).toMatchObject({
      status: 400,
      body: { error: "`q` must have at most 200 characters." },
    });
  });
});
