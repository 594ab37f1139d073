import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { makeTeam, type Team } from "../../../support/worlds/members/team.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("tags in the console, without scripts,", () => {
  let service: Service;
  let team: Team;
  let maria: BrowserWithoutScripts;
  let viewer: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    team = await makeTeam(service);
    maria = createBrowserWithoutScripts(service, (await team.join("maintainer")).headers);
    viewer = createBrowserWithoutScripts(service, (await team.join("viewer")).headers);
  });
  afterAll(() => service.stop());

  const threadAt = (id: string, part = "") => `/console/feedback/${team.app.id}/${id}${part}`;
  const tagsPage = () => `/console/tags/${team.app.id}`;
  const inbox = (query: string) => maria.open(`/console/feedback/${team.app.id}?${query}`);
  const send = (message: string) => sendFeedback(service, team.app.key, { message });
  const tag = async (id: string, addTags: string) =>
    maria.follow(await maria.send(await maria.open(threadAt(id)), threadAt(id, "/edit"), { addTags }));
  const idOf = async (name: string) => {
    const { items } = Object((await team.call("GET", `${team.at}/tags`)).body);
    return items.find((known: { name: string }) => known.name === name)?.id;
  };

  it("are typed on a thread, shown on it, and removed one by one", async () => {
    const id = await send("It stops.");
    const page = await tag(id, "crash, Android");
    expect(readingOf(page)).toContain("Android × crash ×");
    const removed = await maria.send(page, threadAt(id, "/tags"), { removeTag: "crash" });
    expect(readingOf(await maria.follow(removed))).toContain("Android ×");
    expect((await maria.open(threadAt(id))).text).not.toContain("Remove the tag crash");
  });

  it("can be removed while an unsent reply is kept", async () => {
    const id = await send("It waits.");
    const page = await tag(id, "draft");
    const answer = await maria.send(page, threadAt(id, "/tags"), {
      removeTag: "draft",
      replyBody: "Half a sen",
    });
    expect(answer.text).toContain("Half a sen");
  });

  it("show a refused name again with its fault", async () => {
    const id = await send("It is long.");
    const name = "x".repeat(41);
    const answer = await maria.send(await maria.open(threadAt(id)), threadAt(id, "/edit"), { addTags: name });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(`value="${name}"`);
    expect(readingOf(answer)).toContain("Add tags must have at most 40 characters.");
  });

  it("filter the inbox by one tag, and then by a second tag", async () => {
    const both = await send("Both of them.");
    const one = await send("Only one.");
    await tag(both, "left, right");
    await tag(one, "left");
    const first = await inbox("status=open&also=left");
    expect(readingOf(first)).toMatch(/Only one\. now .* left .*Both of them\. now .* left right/);
    expect(first.text).toContain('<input type="hidden" name="tag" value="left"');
    const second = await inbox("status=open&tag=left&also=right");
    expect(readingOf(second)).not.toContain("Only one.");
    expect(second.text).toContain(`href="/console/feedback/${team.app.id}?status=open&amp;tag=left"`);
    expect(readingOf(await inbox("tag=left,nothing"))).toContain("Nothing matches");
  });

  it("keep the filter in the links from thread to thread", async () => {
    const older = await send("The older.");
    await send("Between.");
    const newer = await send("The newer.");
    await tag(older, "walk");
    await tag(newer, "walk");
    const list = (await inbox("tag=walk")).text;
    const hrefOf = (id: string) =>
      new RegExp(`href="([^"]*)" id="thread-${id}"`).exec(list)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const page = (await maria.open(hrefOf(newer))).text;
    expect(page).toContain(`data-opened="${newer}"`);
    expect(page).toMatch(
      new RegExp(`${hrefOf(older).replace(/.*\\?/, "").replaceAll("&", "&amp;")}"[^>]*data-key="\\]"`),
    );
  });

  it("can be created, renamed, coloured, merged and deleted on their page", async () => {
    const made = await maria.send(await maria.open(tagsPage()), tagsPage(), { name: "ui", colour: "blue" });
    expect((await maria.follow(made)).text).toContain('<span class="badge tag blue">');
    const id = await idOf("ui");
    const at = (part: string) => `${tagsPage()}/${id}/${part}`;
    const taken = await maria.send(await maria.follow(made), at("change"), { name: "Android" });
    expect(taken.status).toBe(409);
    expect(readingOf(taken)).toContain("The app has a tag with this name already.");
    const renamed = await maria.send(await maria.open(tagsPage()), at("change"), { name: "interface" });
    expect(readingOf(await maria.follow(renamed))).toContain("interface 0 threads with interface");
    const into = await idOf("Android");
    await maria.send(await maria.open(tagsPage()), at("merge"), { into });
    expect(await idOf("interface")).toBeUndefined();
    await maria.send(await maria.open(tagsPage()), `${tagsPage()}/${into}/delete`);
    expect(await idOf("Android")).toBeUndefined();
  });

  it("show a hostile name without effect", async () => {
    const id = await send("Hostile.");
    await tag(id, `<img src=x onerror=alert(1)>"'`);
    for (const page of [await maria.open(threadAt(id)), await maria.open(tagsPage()), await inbox("")])
      expect(page.text).not.toContain("<img src=x");
  });

  it("are shown to a viewer without a field to change them", async () => {
    const id = await send("Looked at.");
    await tag(id, "seen");
    const page = await viewer.open(threadAt(id));
    expect(readingOf(page)).toContain("seen");
    expect(page.text).not.toContain("addTags");
    expect((await viewer.open(tagsPage())).text).not.toContain("Create tag");
  });
});
