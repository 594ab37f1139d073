import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { makeTeam, type Team } from "../../../support/worlds/members/team.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the assignee in the console, without scripts", () => {
  let service: Service;
  let team: Team;
  let maria: BrowserWithoutScripts & { readonly email: string; readonly id: string };
  let ben: BrowserWithoutScripts & { readonly email: string };
  beforeAll(async () => {
    service = await startService();
    team = await makeTeam(service);
    const join = async () => {
      const member = await team.join("maintainer");
      return { ...member, ...createBrowserWithoutScripts(service, member.headers) };
    };
    maria = await join();
    ben = await join();
  });
  afterAll(() => service.stop());

  const at = (id: string, part = "") => `/console/feedback/${team.app.id}/${id}${part}`;
  const send = (message: string) => sendFeedback(service, team.app.key, { message });
  const inbox = (query: string) => maria.open(`/console/feedback/${team.app.id}?${query}`);

  it("is set with one click, and the person finds the thread among their own threads", async () => {
    const id = await send("Mine now.");
    const page = await maria.open(at(id));
    expect(page.text).toContain("Assign to me");
    const answer = await maria.send(page, at(id, "/assign"));
    const after = await maria.follow(answer);
    expect(after.text).toContain(`value="${maria.id}" selected`);
    expect(after.text).not.toContain("Assign to me");
    expect(readingOf(await inbox("assignee=me"))).toContain("Mine now.");
    expect(readingOf(await inbox("assignee=none"))).not.toContain("Mine now.");
  });

  it("is named to the second of two people who assign themselves, and their typed text is kept", async () => {
    const id = await send("Wanted by two.");
    const [mine, his] = [await maria.open(at(id)), await ben.open(at(id))];
    await ben.send(his, at(id, "/assign"));
    const refused = await maria.send(mine, at(id, "/assign"), { noteBody: "Half a note" });
    expect(refused.status).toBe(409);
    expect(readingOf(refused)).toContain(`This thread is assigned to ${ben.email} now.`);
    expect(refused.text).toContain("Half a note");
    const again = await maria.send(refused, at(id, "/assign"));
    expect((await maria.open(at(id))).text).toContain(`value="${maria.id}" selected`);
    expect(again.status).toBe(200);
  });

  it("is set and removed by the form that also has the other fields", async () => {
    const id = await send("Given.");
    const given = await ben.send(await ben.open(at(id)), at(id, "/edit"), {
      assignee: maria.id,
      status: "in_progress",
    });
    const page = await ben.follow(given);
    expect(page.text).toContain(`value="${maria.id}" selected`);
    expect(readingOf(page)).toMatch(/Given\. #\d+ In progress/);
    await ben.send(page, at(id, "/edit"), { assignee: "" });
    expect((await ben.open(at(id))).text).not.toContain(`value="${maria.id}" selected`);
  });

  it("is not overwritten if it was set after the page was shown", async () => {
    const id = await send("Shown before.");
    const page = await maria.open(at(id));
    await ben.send(await ben.open(at(id)), at(id, "/assign"));
    const answer = await maria.send(page, at(id, "/edit"), { assignee: maria.id });
    expect(answer.status).toBe(400);
    expect(readingOf(answer)).toContain("Assigned to was changed by somebody else");
    await maria.send(page, at(id, "/edit"), { subject: "Another subject" });
    expect((await maria.open(at(id))).text).toContain(`selected>${ben.email}`);
  });

  it("is shown to a viewer, who cannot change it", async () => {
    const id = await send("Seen by a viewer.");
    await maria.send(await maria.open(at(id)), at(id, "/assign"));
    const viewer = createBrowserWithoutScripts(service, (await team.join("viewer")).headers);
    const page = await viewer.open(at(id));
    expect(readingOf(page)).toContain(`Assigned to ${maria.email}`);
    expect(page.text).not.toContain("Assign to me");
  });
});
