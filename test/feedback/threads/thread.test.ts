import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  formOf,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { dataUrl, mp4, pdf, png } from "../../support/files/sample-files.ts";
import { startWebhook } from "../../support/network/webhook.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("a thread in the console", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_PRIVATE_WEBHOOKS: "on" } });
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  afterAll(() => service.stop());

  const send = (report: object = {}) => sendFeedback(service, world.app.key, report);
  const address = (id: string, part = "") => `/console/feedback/${world.app.id}/${id}${part}`;
  const change = async (id: string, values: Record<string, string>, page = owner.open(address(id))) =>
    owner.send(await page, address(id, "/edit"), values);
  const say = async (id: string, direction: string, body: string) =>
    owner.send(await owner.open(address(id)), address(id, "/messages"), spoken(direction, body));
  const spoken = (direction: string, body: string) => ({
    direction,
    [direction === "note" ? "noteBody" : "replyBody"]: body,
  });

  it("shows the report, its sender, its origin and its metadata", async () => {
    const metadata = { device: "Pixel 8", flags: { offline: true } };
    const report = {
      message: "It\n  broke.",
      name: "Ada",
      email: "ada@example.org",
      source: "iOS 4",
      metadata,
    };
    const page = await owner.open(address(await send(report)));
    expect(readingOf(page)).toMatch(/Ada .* It broke\. .* ada@example\.org .* iOS 4 .* device Pixel 8 flags/);
    expect(page.text).toContain("It\n  broke.");
  });

  it("shows images and videos from the server's uploads, and shows attachments as downloads", async () => {
    const { text } = await owner.open(
      address(
        await send({
          images: [dataUrl(png())],
          videos: [dataUrl(mp4())],
          attachments: [{ name: "log.pdf", data: dataUrl(pdf()) }],
        }),
      ),
    );
    expect(text).toContain(`<img src="${service.baseUrl}/uploads/`);
    expect(text).toContain(`<video src="${service.baseUrl}/uploads/`);
    expect(text).toMatch(/<a href="[^"]*\/uploads\/[^"]*\.pdf" download/);
  });

  it.each([
    ["note", "Internal note"],
    ["outbound", "Reply"],
  ])("accepts a message of the direction %s", async (direction, title) => {
    const id = await send();
    const page = await owner.follow(await say(id, direction, "We are on it."));
    expect(readingOf(page)).toMatch(new RegExp(`Conversation ${title} .* We are on it\\.`));
  });

  it("refuses an empty reply with a fault at the field, and opens the form", async () => {
    const answer = await say(await send(), "outbound", "  ");
    expect(answer.status).toBe(400);
    expect(readingOf(answer)).toContain("Your reply must not be empty.");
    expect(answer.text).toMatch(/value="reply" checked/);
  });

  it("adds a note once, even if its form is sent several times", async () => {
    const id = await send();
    const page = await owner.open(address(id));
    for (let at = 0; at < 3; at += 1)
      await owner.send(page, address(id, "/messages"), spoken("note", "Once only."));
    expect(readingOf(await owner.open(address(id))).match(/Once only\./g)).toHaveLength(1);
  });

  it("allows a change of its status, type, subject and linked issue", async () => {
    const id = await send();
    const issue = "https://github.com/a/b/issues/1";
    const given = { status: "resolved", category: "feature", subject: "Export", githubIssueUrl: issue };
    const page = await owner.follow(await change(id, given));
    expect(readingOf(page)).toMatch(/Export #\d+ Resolved .* changed the type: Bug → to Feature/);
    expect(page.text).toContain(`<a href="${issue}" rel="noopener noreferrer nofollow">`);
  });

  it("loses its linked issue if the field is sent empty", async () => {
    const id = await send();
    await change(id, { githubIssueUrl: "https://github.com/a/b/issues/1" });
    await change(id, { githubIssueUrl: "" });
    expect((await world.call("GET", `/feedback/${id}`)).body).toMatchObject({
      feedback: { githubIssueUrl: null },
    });
  });

  it("refuses an invalid address, and keeps the typed text", async () => {
    const answer = await change(await send(), { githubIssueUrl: "javascript:alert(1)", subject: "Kept" });
    expect(answer.status).toBe(400);
    expect(readingOf(answer)).toContain("Linked issue must be an absolute http or https address.");
    expect(formOf(answer, answer.text.match(/action="([^"]*\/edit)"/)?.[1] ?? "")).toContain('value="Kept"');
  });

  it("keeps another person's changes to fields that the form did not change", async () => {
    const id = await send();
    const page = owner.open(address(id));
    await page;
    await change(id, { status: "resolved" });
    await change(id, { subject: "Mine" }, page);
    const { body } = await world.call("GET", `/feedback/${id}`);
    expect(body).toMatchObject({ feedback: { status: "resolved", subject: "Mine" } });
  });

  it("warns if two people changed the same field, and accepts the form when it is sent again", async () => {
    const id = await send();
    const page = owner.open(address(id));
    await page;
    await change(id, { subject: "Theirs" });
    const refused = await change(id, { subject: "Mine" }, page);
    expect(refused.status).toBe(400);
    expect(readingOf(refused)).toContain("Subject was changed by somebody else");
    expect((await owner.send(refused, address(id, "/edit"))).status).toBe(303);
    expect((await world.call("GET", `/feedback/${id}`)).body).toMatchObject({
      feedback: { subject: "Mine" },
    });
  });

  it("can be deleted permanently", async () => {
    const id = await send();
    const answer = await owner.send(await owner.open(address(id)), address(id, "/delete"));
    expect(answer.headers.get("location")).toBe(`/console/feedback/${world.app.id}?done=thread-deleted`);
    expect((await owner.open(address(id))).status).toBe(404);
  });

  it("says whether the proposal was sent to the chat channel", async () => {
    const webhook = await startWebhook();
    const app = await service.makeApp(world.owner, { chatWebhookUrl: webhook.url });
    const id = await sendFeedback(service, app.key);
    await propose(service, world.agentToken, id);
    await expect
      .poll(async () => readingOf(await owner.open(`/console/feedback/${app.id}/${id}`)))
      .toMatch(/Chat channel: sent \d/);
  });

  it("says why the proposal was not sent to the chat channel", async () => {
    const webhook = await startWebhook();
    webhook.answers.push(500);
    const app = await service.makeApp(world.owner, { chatWebhookUrl: webhook.url });
    const id = await sendFeedback(service, app.key);
    await propose(service, world.agentToken, id);
    await expect
      .poll(async () => readingOf(await owner.open(`/console/feedback/${app.id}/${id}`)))
      .toContain("not sent yet, trying again. The chat answered 500");
  });

  it("shows a plan exactly, with a mark for every invisible character", async () => {
    const id = await send();
    const plan = "1.  a\n\tb\n\n  rm \u202Egpj.x\u202C\u200B c";
    const headers = bearer(world.agentToken);
    await service.request("POST", `/api/v1/agent/feedback/${id}/proposal`, {
      headers,
      body: { summary: "s", plan },
    });
    const { text } = await owner.open(address(id));
    const shown = /<div class="written exact">([\s\S]*?)<\/div>/.exec(text)?.[1] ?? "";
    const marked = shown.replace(/<span class="hidden-mark" title="[^"]*">([^<]*)<\/span>/g, "[$1]");
    expect(marked).toBe("1.  a\n\tb\n\n  rm [U+202E]gpj.x[U+202C][U+200B] c");
    expect(text).toContain("3 characters here are invisible");
  });

  it("shows no marks for Windows line ends in a plan", async () => {
    const id = await send();
    await service.request("POST", `/api/v1/agent/feedback/${id}/proposal`, {
      headers: bearer(world.agentToken),
      body: { summary: "Le prix\u00A0: 5\u202F€", plan: "1. Find it\r\n2. Mend it\r\n" },
    });
    const { text } = await owner.open(address(id));
    expect(text).not.toContain("hidden-mark");
  });
});
