import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../support/browser/browser-without-scripts.ts";
import { createCommandLine } from "../support/clients/command-line.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeOwnerWithOneOfEach, type OwnerWithOneOfEach } from "../support/worlds/owner-with-one-of-each.ts";

const text =
  "FAIL test/oven.test.ts\n  keeps the heat\n  expected 180, got 20\n  at oven.ts:3\n  1 of 9 failed";
const runUrl = (run: number) => `https://ci.example.org/actions/runs/${run}`;

describe("repeats of a report", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  const send = async (dedupeKey: string, report: object): Promise<string> => {
    const answer = await service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": world.app.key },
      body: { type: "bug", message: text, source: "ci", dedupeKey, ...report },
    });
    return answer.field("id");
  };
  const sendRuns = async (dedupeKey: string, count: number): Promise<string> => {
    let id = "";
    for (let run = 1; run <= count; run += 1)
      id = await send(dedupeKey, { metadata: { runUrl: runUrl(run), job: "test", commit: `c${run}` } });
    return id;
  };
  const open = async (id: string) =>
    createBrowserWithoutScripts(service, world.headers).open(`/console/feedback/${world.app.id}/${id}`);
  const view = async (id: string, ...flags: string[]) => {
    const INNKEEP_TOKEN = await service.makeToken(world.owner, "maintainer", { scopes: ["feedback:read"] });
    const line = await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN });
    return (await line.run(["feedback", "view", id, ...flags])).stdout;
  };
  const times = (all: string, part: string) => all.split(part).length - 1;

  it("are one line between the first and the last of 100 repeats, on the page and in the terminal", async () => {
    const id = await sendRuns("hundred", 100);
    const page = await open(id);
    expect(readingOf(page)).toMatch(
      /97 more reports with the same text, from [^,]+,? [^,]+ to [^,]+,? [^,]*, runs 3 to 99/,
    );
    expect(times(page.text, "keeps the heat")).toBe(1);
    const outside = page.text.replace(/<details class="reveal repeats">[\s\S]*?<\/details>/g, "");
    expect(times(outside, ">reported it again<")).toBe(2);
    expect(page.text).toMatch(/<a class="small" href="#message-[^"]+">Jump to the end/);

    const shown = await view(id);
    expect(shown).toMatch(
      /^-- 97 more reports with the same text, from \S+Z to \S+Z, runs 3 to 99\. --repeats prints them\.$/m,
    );
    expect([times(shown, "keeps the heat"), times(shown, "-- Reported again")]).toEqual([1, 2]);
    expect(times(await view(id, "--repeats"), "-- Reported again")).toBe(99);
  });

  it("are shown in parts if they are very large, each part with a link to the earlier reports", async () => {
    let id = "";
    for (let run = 0; run < 70; run += 1)
      id = await send("large", { message: `Run ${run} broke.\n${String(run).padStart(9_900, "x")}` });
    const browser = createBrowserWithoutScripts(service, world.headers);
    const linkIn = (page: string, words: string) =>
      new RegExp(`<a href="([^"]*)">${words}</a>`).exec(page)?.[1];
    const runsIn = (page: string) => {
      const group =
        /<details class="reveal repeats"[\s\S]*?<ol[\s\S]*?<\/ol><\/details>/.exec(page)?.[0] ?? "";
      return [...group.matchAll(/>Run (\d+) broke/g)].map(([, run]) => Number(run));
    };

    const newest = await browser.open(`/console/feedback/${world.app.id}/${id}?list=status%3Dopen&at=2`);
    expect(readingOf(newest)).toMatch(/67 more reports, 67 of them with other text/);
    expect(newest.text.includes('<details class="reveal repeats">')).toBe(true);
    expect(readingOf(newest).includes("Reports 39 to 67 of 67 are shown here.")).toBe(true);
    const seen = [runsIn(newest.text)];
    let [page, earlier] = [newest, linkIn(newest.text, "Show earlier reports")];
    while (earlier !== undefined) {
      expect(earlier).toMatch(/\?list=status%3Dopen&amp;at=\d.*&amp;repeats=([^#]+)#message-\1$/);
      page = await browser.open(earlier.replaceAll("&amp;", "&").replace(/#.*/, ""));
      expect(page.text.includes('<details class="reveal repeats" open>')).toBe(true);
      expect(page.text.includes("Show the newest reports")).toBe(true);
      seen.unshift(runsIn(page.text));
      earlier = linkIn(page.text, "Show earlier reports");
    }
    expect(seen.flat()).toEqual(Array.from({ length: 67 }, (_, at) => at + 2));
    expect(seen.at(-1)?.length).toBeGreaterThan(20);
    expect(seen.length).toBe(3);
  });

  it("link to the resolved thread of the same failure", async () => {
    const before = await send("again", { subject: "The oven is cold" });
    const body = { status: "resolved" };
    await service.request("PATCH", `/api/v1/console/feedback/${before}`, { headers: world.headers, body });
    service.clock.advance(60_000);
    const id = await send("again", {});
    const address = `/console/feedback/${world.app.id}/${before}`;
    const page = await open(id);
    expect(readingOf(page)).toContain(
      "This failure occurred again. It was resolved before: The oven is cold",
    );
    expect(page.text).toContain(`href="${address}"`);
    expect(await view(id)).toContain(
      `Earlier thread about this failure, now resolved: ${service.baseUrl}${address}`,
    );
    expect(readingOf(await open(before))).not.toContain("came back");
  });

  it("show only the data that differ from the report", async () => {
    await send("few", { metadata: { job: "test", commit: "c1", ref: "main" } });
    const id = await send("few", { metadata: { job: "test", commit: "c2" }, email: "bo@kitchen.example" });
    const reading = readingOf(await open(id));
    const repeat = reading.slice(reading.indexOf("reported it again"));
    expect(repeat).toMatch(
      /^reported it again .*?The same text as the report\. Contact bo@kitchen\.example commit c2 ref not in this report/,
    );
    expect(await view(id)).toMatch(
      /-- Reported again, \S+\nFrom: <bo@kitchen\.example>\nReport: \S+\n> commit: c2\n> ref: not in this report\nThe same text as the report\.\n/,
    );
  });

  it("show only the different lines of a text that is mostly equal, and otherwise the whole text", async () => {
    const near = text.replace("got 20", "got 21");
    await send("near", {});
    await send("near", { message: near });
    const id = await send("near", { message: "Something else broke." });
    const reading = readingOf(await open(id));
    expect(reading).toMatch(/The same text as the report, except these lines: expected 180, got 21/);
    expect(times(reading, "keeps the heat")).toBe(1);
    expect(reading).toMatch(/reported it again [^.]*Something else broke\./);
  });

  it("are one line that says how many have a different text", async () => {
    for (let at = 0; at < 5; at += 1) await send("mixed", at === 2 ? { message: "Something else." } : {});
    const id = await send("mixed", {});
    expect(readingOf(await open(id))).toContain("3 more reports, 1 of them with other text");
  });

  it("are separate lines before and after a message of somebody else", async () => {
    const id = await sendRuns("talk", 3);
    await world.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "Seen." });
    await sendRuns("talk", 3);
    const page = await open(id);
    expect(page.text).not.toContain("reveal repeats");
    expect(readingOf(page)).toMatch(/reported it again .* Internal note .* reported it again/);
  });
});
