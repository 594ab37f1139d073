import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe("the page after an act on a thread", () => {
  let service: Service;
  let team: Team;
  let maria: BrowserWithoutScripts;
  let inbox: string;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    team = await makeTeam(service);
    maria = createBrowserWithoutScripts(service, (await team.join("maintainer")).headers);
    inbox = `/console/feedback/${team.app.id}`;
  });
  afterAll(() => service.stop());

  const send = async (subject: string) => {
    service.clock.advance(1_000);
    return sendFeedback(service, team.app.key, { subject });
  };
  const statusOf = async (id: string) =>
    Object((await team.call("GET", `/feedback/${id}`)).body).feedback.status;
  // The browser keeps the query of the address, which names the finished action.
  const follow = (answer: Answer) => maria.open(answer.headers.get("location")?.split("#")[0] ?? "");
  const openedIn = ({ text }: Answer) => /data-opened="([^"]*)"/.exec(text)?.[1];
  const chosenTab = ({ text }: Answer) => /name="composer" value="(\w+)" checked/.exec(text)?.[1];
  const places = [
    ["in the inbox", (id: string) => `${inbox}?open=${id}`],
    ["on its own page", (id: string) => `${inbox}/${id}`],
  ] as const;

  it.each(places)("shows the field for a note after a note, or the typed reply, %s", async (_, at) => {
    const id = await send("First");
    const page = await maria.open(at(id));
    expect(chosenTab(page)).toBe("reply");
    const note = { direction: "note", noteBody: "Ask Bo." };
    expect(chosenTab(await follow(await maria.send(page, `${inbox}/${id}/messages`, note)))).toBe("note");
    const drafted = await maria.send(await maria.open(at(id)), `${inbox}/${id}/messages`, {
      ...note,
      replyBody: "Half a reply",
    });
    expect([drafted.status, chosenTab(drafted)]).toEqual([200, "reply"]);
  });

  it("is in the inbox after a merge was undone there", async () => {
    const [into, from] = [await send("First"), await send("Second")];
    await team.call("POST", `/feedback/${from}/merge`, { into });
    const undone = await maria.send(await maria.open(`${inbox}?open=${into}`), `${inbox}/${from}/unmerge`);
    const page = await follow(undone);
    expect(openedIn(page)).toBe(from);
    expect(readingOf(page)).toContain("The thread is separate again.");
  });

  it.each(places)("offers to open the thread again after a reply that resolved it, %s", async (_, at) => {
    const [next, id] = [await send("First"), await send("Second")];
    const isDesk = at(id).includes("?");
    const words = { direction: "resolve", replyBody: "Mended." };
    const sent = await maria.send(await maria.open(at(id)), `${inbox}/${id}/messages`, words);
    const page = await follow(sent);
    expect([openedIn(page), await statusOf(id)]).toEqual([isDesk ? next : undefined, "resolved"]);
    expect(readingOf(page)).toContain("Open the thread again");
    const again = await follow(await maria.send(page, `${inbox}/${id}/edit`));
    expect([openedIn(again), await statusOf(id)]).toEqual([isDesk ? id : undefined, "open"]);
  });

  it.each([
    ["a reply", { direction: "outbound", replyBody: "Mended." }],
    ["a note", { direction: "note", noteBody: "Mended." }],
  ])("does not offer to open the thread again after %s", async (_, words) => {
    const id = await send("First");
    const page = await maria.open(`${inbox}/${id}`);
    const after = await follow(await maria.send(page, `${inbox}/${id}/messages`, words));
    expect(readingOf(after)).not.toContain("Open the thread again");
  });
});
