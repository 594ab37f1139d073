import { describe, expect, it, onTestFinished } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { startMailServer } from "../../support/mail/mail-server.ts";
import { mailsArrive, serverWithMail } from "../../support/mail/server-with-mail.ts";
import { startService } from "../../support/service/service.ts";
import { makeOwnerWithOneOfEach, sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

async function start(smtpUrl?: string) {
  const service = smtpUrl === undefined ? await startService() : await serverWithMail(smtpUrl);
  if (smtpUrl === undefined) onTestFinished(() => service.stop());
  const world = await makeOwnerWithOneOfEach(service);
  const owner = createBrowserWithoutScripts(service, world.headers);
  const address = (id: string, part = "") => `/console/feedback/${world.app.id}/${id}${part}`;
  const send = (report: object) => sendFeedback(service, world.app.key, report);
  const say = async (id: string, fields: Record<string, string>) =>
    owner.follow(await owner.send(await owner.open(address(id)), address(id, "/messages"), fields));
  return { service, owner, address, send, say };
}

describe("a reply in the console", () => {
  it("comes with a message before and after it is sent that this server sends no mail", async () => {
    const { owner, address, send, say } = await start();
    const id = await send({ email: "ada@kitchen.example" });
    expect(readingOf(await owner.open(address(id)))).toMatch(
      /This server does not send mail\. The sender reads the reply on their page\. To reach the sender, write to ada@kitchen/,
    );
    const page = await say(id, { direction: "outbound", replyBody: "We are on it." });
    expect(readingOf(page)).toMatch(/Reply .* We are on it\. .* The reply is only on the sender's page\./);
  });

  it("is mailed to the chosen senders, and the page shows each mail", async () => {
    const server = await startMailServer();
    const { owner, address, send, say } = await start(server.url);
    const id = await send({ name: "Ada", email: "ada@kitchen.example", dedupeKey: "k" });
    await send({ name: "Bo", email: "bo@cellar.example", dedupeKey: "k" });
    expect(readingOf(await owner.open(address(id)))).toMatch(
      /To Choose who gets the reply Ada \(ada@kitchen\.example\), who reported it first Bo \(bo@cellar\.example\), who reported it on [\d-]+ Everyone/,
    );
    await say(id, { direction: "outbound", replyBody: "For all.", replyReceiver: "everyone" });
    await mailsArrive(server, 2);
    const page = readingOf(await owner.open(address(id)));
    expect(page).toMatch(
      /For all\. To everyone who reported it before\. .*ada@kitchen\.example ?: (mailed|waits)/,
    );
    expect(page).toMatch(/bo@cellar\.example ?: (mailed|waits)/);
  });

  it("has words in place of the link to the sender's page, because only the sender may know it", async () => {
    const { send, say } = await start();
    const page = await say(await send({}), { direction: "outbound", replyBody: "Look: {statusUrl}" });
    expect(readingOf(page)).toContain("Look: (link to the sender's page)");
  });

  it("is kept if it is unsent when the person creates a new link to the sender's page", async () => {
    const { owner, address, send } = await start();
    const id = await send({});
    const page = await owner.open(address(id));
    const shown = await owner.send(page, address(id, "/status-link"), { replyBody: "Not sent yet." });
    expect(shown.text).toContain("Not sent yet.");
    const link = /href="(http[^"]+\/p\/t\/[^"]+)"/.exec(shown.text)?.[1] ?? "";
    expect((await fetch(link)).status).toBe(200);
  });
});
