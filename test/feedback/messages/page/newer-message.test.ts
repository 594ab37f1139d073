import { expect, it, onTestFinished } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../../support/browser/browser-without-scripts.ts";
import { answerOnPage } from "../../../support/mail/answer-on-page.ts";
import { startService } from "../../../support/service/service.ts";
import { makeTeam } from "../../../support/worlds/members/team.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

async function start() {
  const service = await startService();
  onTestFinished(() => service.stop());
  const team = await makeTeam(service);
  const id = await sendFeedback(service, team.app.key);
  const join = async () => {
    const member = await team.join("maintainer");
    return { ...member, ...createBrowserWithoutScripts(service, member.headers) };
  };
  const [maria, ben] = [await join(), await join()];
  const at = (part = "") => `/console/feedback/${team.app.id}/${id}${part}`;
  const reply = (replyBody: string) => ({ direction: "outbound", replyBody });
  return { service, team, maria, ben, at, reply };
}

it("the page shows the reply again once, unsent, if somebody else replied in the meantime", async () => {
  const { service, maria, ben, at, reply } = await start();
  const page = await maria.open(at());
  await ben.send(await ben.open(at()), at("/messages"), reply("Ben's answer."));
  service.clock.pass(125_000);

  // With another button the page is shown again, without the message about a newer reply.
  const other = await maria.send(page, at("/status-link"), { replyBody: "Maria's answer." });
  const refused = await maria.send(other, at("/messages"), reply("Maria's answer."));
  expect(refused.status).toBe(409);
  expect(readingOf(refused)).toMatch(
    new RegExp(
      `Nothing was sent\\. ${ben.email} replied 2 minutes ago ?\\. Read it first\\. Send again to send your reply anyway\\. Ben.s answer\\.`,
    ),
  );
  expect(refused.text).toMatch(/<textarea[^>]*>\n?Maria(&#39;|')s answer\.<\/textarea>/);

  const sent = await maria.send(refused, at("/messages"), { direction: "outbound" });
  expect(sent.status).toBe(303);
  expect(readingOf(await maria.follow(sent))).toMatch(/Ben's answer\..*Maria's answer\./);

  const note = await ben.send(await ben.open(at()), at("/messages"), {
    direction: "note",
    noteBody: "A note.",
  });
  expect(note.status).toBe(303);
});

it("the page shows the reply again once, unsent, with the answer that the sender wrote in the meantime", async () => {
  const { service, team, maria } = await start();
  const sent = await service.request("POST", "/api/v1/feedback/remote", {
    headers: { "x-api-key": team.app.key },
    body: { type: "bug", message: "It broke.", name: "Kim" },
  });
  const at = (part = "") => `/console/feedback/${team.app.id}/${sent.field("id")}${part}`;
  const page = await maria.open(at());
  await answerOnPage(sent.field("statusUrl"), "It was my own fault.");
  service.clock.pass(65_000);

  const refused = await maria.send(page, at("/messages"), {
    direction: "outbound",
    replyBody: "We are on it.",
  });
  expect(refused.status).toBe(409);
  expect(readingOf(refused)).toMatch(
    /Nothing was sent\. Kim answered 1 minute ago ?\. Read it first\. Send again to send your reply anyway\. It was my own fault\./,
  );
  expect(refused.text).toMatch(/<textarea[^>]*>\n?We are on it\.<\/textarea>/);
  expect((await maria.send(refused, at("/messages"), { direction: "outbound" })).status).toBe(303);
});
