import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { makeTeam, type Team } from "../../../support/worlds/members/team.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("blocked senders in the console, without scripts,", () => {
  let service: Service;
  let team: Team;
  let owner: BrowserWithoutScripts;
  let maria: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    team = await makeTeam(service);
    owner = createBrowserWithoutScripts(service, (await team.join("owner")).headers);
    maria = createBrowserWithoutScripts(service, (await team.join("maintainer")).headers);
  });
  afterAll(() => service.stop());

  const at = (id: string, part = "") => `/console/feedback/${team.app.id}/${id}${part}`;
  const page = () => `/console/blocked/${team.app.id}`;
  const send = (email: string, message: string) => sendFeedback(service, team.app.key, { email, message });
  const inbox = async () => readingOf(await maria.open(`/console/feedback/${team.app.id}`));

  it("are blocked on a thread; their reports are hidden, are shown one by one, and return when the block ends", async () => {
    const id = await send("eve@example.org", "Buy now.");
    const thread = await maria.open(at(id));
    expect(thread.text).not.toContain("Block the whole domain");
    const done = await maria.send(thread, at(id, "/block"), { block: "address", replyBody: "Half" });
    expect([readingOf(done).includes("The sender is blocked."), done.text.includes("Half")]).toEqual([
      true,
      true,
    ]);
    const again = await maria.send(await maria.open(at(id)), at(id, "/block"), { block: "address" });
    expect([again.status, readingOf(again).includes("This sender is already blocked.")]).toEqual([409, true]);
    const one = await send("Eve+1@Example.org", "Buy one <b>more</b>.");
    await send("eve@example.org", "Buy another.");
    expect(await inbox()).not.toContain("Buy one");
    const list = await maria.open(page());
    expect(readingOf(list)).toMatch(
      /eve@example\.org blocked .* Hidden feedback Buy another\. .*Buy one <b>more<\/b>\./,
    );
    expect(list.text).not.toContain("<b>more");
    const shown = await maria.send(list, `${page()}/feedback/${one}/release`);
    expect(readingOf(await maria.follow(shown))).toContain("Buy one <b>more</b>.");
    const { items } = Object((await team.call("GET", `/apps/${team.app.id}/blocked-senders`)).body);
    const unblocked = await maria.send(await maria.open(page()), `${page()}/${items[0].id}/unblock`);
    expect(readingOf(await maria.follow(unblocked))).toContain("Nobody is blocked");
    expect(await inbox()).toContain("Buy another.");
  });

  it("can be a whole domain if an owner blocks it", async () => {
    const id = await send("a@spam.example", "From a domain.");
    await owner.send(await owner.open(at(id)), at(id, "/block"), { block: "domain" });
    await send("b@mail.spam.example", "From below the domain.");
    expect(await inbox()).not.toContain("From below the domain.");
    expect(readingOf(await owner.open(page()))).toContain("All addresses of spam.example");
  });

  it("are not shown to a viewer", async () => {
    const viewer = createBrowserWithoutScripts(service, (await team.join("viewer")).headers);
    expect((await viewer.open(page())).status).toBe(403);
    const id = await send("grace@example.org", "Hello.");
    expect((await viewer.open(at(id))).text).not.toContain("Block this sender");
  });
});
