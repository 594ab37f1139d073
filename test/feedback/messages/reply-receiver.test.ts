import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { type AppWithSenders, makeAppWithSenders } from "../../support/mail/app-with-senders.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";

/** Two senders have one thread: Ann reported first. */
describe("a reply in a thread of two senders (rule M10)", () => {
  let service: Service;
  let app: AppWithSenders;
  let thread: string;
  let pages: { readonly ann: string; readonly bob: string };
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    app = await makeAppWithSenders(service);
    const report = (name: string) =>
      app.report({ name, email: `${name.toLowerCase()}@home.example`, dedupeKey: "crash" });
    const ann = await report("Ann");
    service.clock.advance(1_000);
    const bob = await report("Bob");
    service.clock.advance(1_000);
    thread = ann.field("id");
    pages = { ann: ann.field("statusUrl"), bob: bob.field("statusUrl") };
  });
  afterAll(() => service.stop());

  const says = async (url: string, text: string) => {
    const sender = createBrowserWithoutScripts(service);
    const page = await sender.open(new URL(url).pathname);
    await sender.send(page, new URL(url).pathname, { answer: text });
    service.clock.advance(1_000);
  };
  const reads = async (url: string) =>
    readingOf(await createBrowserWithoutScripts(service).open(new URL(url).pathname));
  const owner = () => createBrowserWithoutScripts(service, app.person);
  const path = () => `/console/feedback/${app.appId}/${thread}`;
  const receiverOf = ({ text }: Answer) =>
    /name="replyReceiver"[\s\S]*?<option[^>]* selected[^>]*>(\w+)/.exec(text)?.[1];
  const preset = async () => receiverOf(await owner().open(path()));
  const replies = async (fields: Record<string, string>) => {
    const sent = await owner().send(await owner().open(path()), `${path()}/messages`, {
      direction: "outbound",
      ...fields,
    });
    service.clock.advance(1_000);
    return sent;
  };

  it("goes to the sender who wrote last, and only that sender can read it", async () => {
    expect(await preset()).toBe("Bob");
    await says(pages.ann, "I have more.");
    expect(await preset()).toBe("Ann");
    await says(pages.bob, "My number is 555-0199.");
    expect(await preset()).toBe("Bob");
    await replies({ replyBody: "We call 555-0199." });
    expect(await reads(pages.bob)).toContain("We call 555-0199.");
    expect(await reads(pages.ann)).not.toContain("We call 555-0199.");
  });

  it("goes to the sender who wrote last, also after a reply to another one, and never to everyone", async () => {
    await says(pages.bob, "Any news?");
    await replies({ replyBody: "Hello, you.", replyReceiver: "" });
    expect(await preset()).toBe("Bob");
    await replies({ direction: "note", noteBody: "Ask Ann, too." });
    await replies({ replyBody: "It is fixed.", replyReceiver: "everyone" });
    expect(await preset()).toBe("Bob");
    await says(pages.ann, "Thank you.");
    expect(await preset()).toBe("Ann");
  });

  it("goes to the sender of the newest report, if an older thread was merged into a newer one", async () => {
    const cy = (await app.report({ name: "Cy", email: "cy@home.example" })).field("id");
    await app.console("POST", `/feedback/${thread}/merge`, { into: cy });
    thread = cy;
    expect(await preset()).toBe("Cy");
  });

  it("keeps the receiver of a typed reply when the other sender writes in the meantime", async () => {
    await says(pages.ann, "I have more.");
    const page = await owner().open(path());
    await says(pages.bob, "So have I.");
    const refused = await owner().send(page, `${path()}/messages`, {
      direction: "outbound",
      replyBody: "Thank you, Ann.",
    });
    expect([refused.status, receiverOf(refused)]).toEqual([409, "Ann"]);
    const other = await owner().send(page, `${path()}/edit`);
    expect(other.status).toBe(303);
    expect(await preset()).toBe("Bob");
  });

  it("keeps its receiver if the thread was merged into the thread of another sender in the meantime", async () => {
    const into = (await app.report({ name: "Cy", email: "cy@home.example" })).field("id");
    const page = await owner().open(path());
    await app.console("POST", `/feedback/${thread}/merge`, { into });
    const typed = { replyBody: "For you alone.", replyReceiver: "" };
    const refused = await owner().send(page, `${path()}/assign`, typed);
    expect([refused.status, receiverOf(refused)]).toEqual([409, "Ann"]);
    thread = into;
    const sent = await owner().send(refused, `${path()}/messages`, { direction: "outbound" });
    expect(sent.status).toBe(303);
    expect(await reads(pages.ann)).toContain("For you alone.");
  });

  it("says that its receiver is no longer in the thread, also after another action on the page", async () => {
    thread = (await app.report({ name: "Cy", email: "cy@home.example" })).field("id");
    const page = await owner().open(path());
    const typed = { replyBody: "For Bob.", replyReceiver: crypto.randomUUID(), direction: "outbound" };
    const refused = await owner().send(page, `${path()}/messages`, { ...typed, subject: "x".repeat(201) });
    expect([refused.status, readingOf(refused)]).toEqual([
      400,
      expect.stringContaining(
        "This text was typed for another sender, who is no longer in this thread. It would go to Cy",
      ),
    ]);
  });

  it("is refused once if its receiver is not chosen, or is no longer in the thread", async () => {
    const typed = { direction: "outbound", replyBody: "For one of you." };
    for (const replyReceiver of ["unchosen", crypto.randomUUID()]) {
      const page = await owner().open(path());
      const refused = await owner().send(page, `${path()}/messages`, { ...typed, replyReceiver });
      expect([refused.status, receiverOf(refused)]).toEqual([400, "Choose"]);
      expect(readingOf(refused)).toContain(
        "To must be somebody who sent a report in this thread. Choose who gets the reply.",
      );
      const again = await owner().send(refused, `${path()}/messages`, { direction: "outbound" });
      expect([again.status, receiverOf(again)]).toEqual([400, "Choose"]);
    }
    expect(await reads(pages.ann)).not.toContain("For one of you.");
    const alone = (await app.report({ name: "Cy", email: "cy@home.example" })).field("id");
    thread = alone;
    const refused = await replies({ ...typed, replyReceiver: crypto.randomUUID() });
    expect([refused.status, readingOf(refused)]).toEqual([
      400,
      expect.stringContaining("Send again to send it to Cy (cy@home.example)."),
    ]);
    const sent = await owner().send(refused, `${path()}/messages`, { direction: "outbound" });
    expect(sent.status).toBe(303);
  });

  it("says under which conditions it reaches the chosen sender, and not that of the first one", async () => {
    const page = readingOf(await owner().open(path()));
    expect(page).toContain("The receiver reads the reply on their page.");
    expect(page).toContain("Bob (bob@home.example), who reported it on");
    expect(page).not.toContain("To reach the sender, write to");
  });

  it("goes to the same sender from the command line, which names that sender", async () => {
    const line = await createCommandLine({
      INNKEEP_BASE_URL: service.baseUrl,
      INNKEEP_TOKEN: await service.makeToken(app.owner, "maintainer", {
        scopes: ["feedback:read", "feedback:write"],
      }),
    });
    const reply = (...flags: string[]) => line.run(["feedback", "reply", thread, ...flags]);
    const ran = await reply("--body", "Only for Bob.");
    expect([ran.exit, ran.stderr]).toEqual([
      0,
      expect.stringMatching(/^Replied to feedback \S+\. To Bob\. /),
    ]);
    expect(await reads(pages.bob)).toContain("Only for Bob.");
    expect(await reads(pages.ann)).not.toContain("Only for Bob.");
    const shown = await line.run(["feedback", "view", thread]);
    expect(shown.stdout).toMatch(/-- Reply by .*\nTo: Bob <bob@home\.example>\n/);
    expect((await reply("--body", "For Ann.", "--report", thread, "--resolve")).exit).toBe(0);
    await says(pages.ann, "Not yet.");
    const events = await line.run(["feedback", "events", thread]);
    expect(events.stdout).toMatch(/\tsender\tstatus\tresolved\topen\n/);
    expect(await reads(pages.ann)).toContain("For Ann.");
    expect((await reply("--body", "All.", "--report", thread, "--everyone")).exit).toBe(2);
  });

  it("names senders who look alike with the times of their reports, or with their numbers", async () => {
    const report = () => app.report({ dedupeKey: "crash" });
    service.clock.advance(24 * 3_600_000);
    await report();
    service.clock.advance(60_000);
    await report();
    await report();
    service.clock.advance(24 * 3_600_000);
    await report();
    const { text } = await owner().open(path());
    const receivers = [...text.matchAll(/<option value="[^"]*"[^>]*>(Anonymous[^<]*)</g)].map(
      ([, label = ""]) => label.replace(/[\d-]{10}/, "DAY").replace(/\d\d:\d\d/, "TIME"),
    );
    expect(receivers).toEqual([
      "Anonymous, who reported it on DAY at TIME UTC",
      "Anonymous, who reported it on DAY at TIME UTC (report 4)",
      "Anonymous, who reported it on DAY at TIME UTC (report 5)",
      "Anonymous, who reported it on DAY",
    ]);
  });
});
