import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { propose, sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe("a text or a change of a member", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const readAsOwner = async (team: Team, path: string) => {
    const owner = createBrowserWithoutScripts(service, await service.signIn(team.owner));
    return readingOf(await owner.open(path));
  };

  it("shows its author to members, and not to agents, if it is a note or a reply", async () => {
    const team = await makeTeam(service);
    const [ada, grace] = [await team.join("maintainer"), await team.join("maintainer")];
    const threadId = await sendFeedback(service, team.app.key);
    await ada.call("POST", `/feedback/${threadId}/messages`, { direction: "note", body: "Seen." });
    await grace.call("POST", `/feedback/${threadId}/messages`, { direction: "outbound", body: "Thanks." });
    expect((await team.call("GET", `/feedback/${threadId}`)).body).toMatchObject({
      messages: [
        { body: "Seen.", author: "team", writtenBy: ada.email },
        { body: "Thanks.", author: "team", writtenBy: grace.email },
      ],
    });
    const page = await readAsOwner(team, `/console/feedback/${team.app.id}/${threadId}`);
    expect(page).toContain(`Internal note by ${ada.email}`);
    expect(page).toContain(`by ${grace.email}`);
    const agent = { authorization: `Bearer ${await service.makeToken(team.owner, "agent")}` };
    const read = await service.request("GET", `/api/v1/agent/feedback/${threadId}`, { headers: agent });
    expect(read.text).toContain("Seen.");
    expect(read.text).not.toContain(ada.email);
  });

  it("shows its author if it is a decision", async () => {
    const team = await makeTeam(service);
    const ada = await team.join("maintainer");
    const threadId = await sendFeedback(service, team.app.key);
    const runId = await propose(service, await service.makeToken(team.owner, "agent"), threadId);
    await ada.call("POST", `/runs/${runId}/decision`, { decision: "approve" });
    const page = await readAsOwner(team, `/console/feedback/${team.app.id}/${threadId}`);
    expect(page).toContain(`Approved by ${ada.email}`);
  });

  it("shows its last author if it is in the FAQ, and no author after an app key changed it", async () => {
    const team = await makeTeam(service);
    const [ada, grace] = [await team.join("maintainer"), await team.join("maintainer")];
    const faqs = `/console/faqs/${team.app.id}`;
    const made = await ada.call("POST", `${team.at}/faqs`, { question: "Why?", answer: "So." });
    expect(await readAsOwner(team, faqs)).toContain(`by ${ada.email}`);
    const id = made.field("id");
    await grace.call("PATCH", `/faqs/${id}`, { answer: "Because." });
    expect(await readAsOwner(team, faqs)).toContain(`by ${grace.email}`);
    const list = await ada.call("GET", `${team.at}/faqs`);
    const headers = { ...ada.headers, "if-match": list.headers.get("etag") ?? "" };
    const body = { faqs: [{ id, question: "Why?", answer: "Anew." }] };
    const path = `/api/v1/console${team.at}/faqs`;
    expect((await service.request("PUT", path, { headers, body })).status).toBe(200);
    expect(await readAsOwner(team, faqs)).toContain(`by ${ada.email}`);
    await service.request("PATCH", `/api/v1/faqs/remote/${id}`, {
      headers: { "x-api-key": team.app.key },
      body: { answer: "From CI." },
    });
    expect(await readAsOwner(team, faqs)).not.toMatch(/Changed [^·]*? by /);
  });

  it("shows no author to apps if it is in the FAQ", async () => {
    const team = await makeTeam(service);
    await team.call("POST", `${team.at}/faqs`, { question: "Why?", answer: "So." });
    const headers = { "x-api-key": team.app.key };
    const { text } = await service.request("GET", "/api/v1/faqs/remote", { headers });
    expect(text).toContain("Why?");
    expect(text).not.toContain(team.owner.email);
  });

  it("shows its last author if it is a release note", async () => {
    const team = await makeTeam(service);
    const [ada, grace] = [await team.join("maintainer"), await team.join("maintainer")];
    const notes = `/console/changelog/${team.app.id}`;
    const made = await ada.call("POST", `${team.at}/changelog`, { title: "First", version: "1.0.0" });
    expect(await readAsOwner(team, notes)).toContain(`by ${ada.email}`);
    await grace.call("POST", `/changelog/${made.field("id")}/publish`);
    expect(await readAsOwner(team, notes)).toContain(`by ${grace.email}`);
    await ada.call("PUT", `${team.at}/changelog/by-version/1.0.0`, { title: "Other" });
    await ada.call("PUT", `${team.at}/changelog/by-version/2.0.0`, { title: "Second" });
    expect(await readAsOwner(team, notes)).toContain(`by ${ada.email}`);
  });

  it("shows its last author if it is a change of settings", async () => {
    const team = await makeTeam(service);
    const grace = await team.join("owner");
    expect(await readAsOwner(team, `/console/apps/${team.app.id}`)).not.toContain(grace.email);
    await grace.call("PATCH", team.at, { name: "Renamed" });
    expect(await readAsOwner(team, `/console/apps/${team.app.id}`)).toContain(`by ${grace.email}`);
  });

  it("shows its author even after that person has left", async () => {
    const team = await makeTeam(service);
    const ada = await team.join("maintainer");
    const threadId = await sendFeedback(service, team.app.key);
    await ada.call("POST", `/feedback/${threadId}/messages`, { direction: "note", body: "Seen." });
    await ada.call("DELETE", `/apps/${team.app.id}/members/${ada.id}`);
    const { body } = await team.call("GET", `/feedback/${threadId}`);
    expect(body).toMatchObject({ messages: [{ writtenBy: ada.email }] });
  });
});
