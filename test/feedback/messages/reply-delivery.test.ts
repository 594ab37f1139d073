import { describe, expect, it, onTestFinished } from "vitest";
import { startMailServer } from "../../support/mail/mail-server.ts";
import { serverWithMail } from "../../support/mail/server-with-mail.ts";
import { startService } from "../../support/service/service.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

async function start({ mail, pages }: { readonly mail: boolean; readonly pages: boolean }) {
  const service = mail ? await serverWithMail((await startMailServer()).url) : await startService();
  if (!mail) onTestFinished(() => service.stop());
  const team = await makeTeam(service);
  await team.call("PATCH", team.at, { senderPages: pages });
  const send = (report: object) => sendFeedback(service, team.app.key, report);
  const reply = async (id: string, more: object = {}): Promise<unknown> => {
    const answer = await team.call("POST", `/feedback/${id}/messages`, {
      direction: "outbound",
      body: "We are on it.",
      ...more,
    });
    const { body } = await team.call("GET", `/feedback/${id}`);
    const { delivery } = Object(answer.body);
    // The thread shows the same.
    expect(Object(body).messages.at(-1).delivery).toEqual(delivery);
    return delivery;
  };
  return { send, reply, team };
}

const kim = "kim@kitchen.example";

describe("the answer to a reply", () => {
  it.each([
    [true, true, kim, { mailedTo: [kim], onPage: true, missed: 0, reason: null }],
    [true, false, kim, { mailedTo: [kim], onPage: false, missed: 0, reason: null }],
    [true, false, ` KIM@Kitchen.example `, { mailedTo: [kim], onPage: false, missed: 0, reason: null }],
    [true, false, "on floor 2", { mailedTo: [], onPage: false, missed: 1, reason: "no_address" }],
    [true, false, undefined, { mailedTo: [], onPage: false, missed: 1, reason: "no_address" }],
    [true, true, undefined, { mailedTo: [], onPage: true, missed: 0, reason: null }],
    [false, true, kim, { mailedTo: [], onPage: true, missed: 0, reason: null }],
    [false, false, kim, { mailedTo: [], onPage: false, missed: 1, reason: "no_mail" }],
  ])("with mail %s, sender pages %s and the address %s contains %o", async (mail, pages, email, delivery) => {
    const { send, reply } = await start({ mail, pages });
    expect(await reply(await send({ email }))).toEqual(delivery);
  });

  it("says how many senders a reply to everyone does not reach", async () => {
    const { send, reply } = await start({ mail: true, pages: false });
    const id = await send({ email: kim, dedupeKey: "k" });
    await send({ email: kim, dedupeKey: "k" });
    await send({ dedupeKey: "k" });
    await send({ email: "on floor 2", dedupeKey: "k" });
    expect(await reply(id, { everyone: true })).toEqual({
      mailedTo: [kim],
      onPage: false,
      missed: 2,
      reason: "no_address",
    });
  });

  it("says nothing about a delivery if it is a note", async () => {
    const { send, team } = await start({ mail: false, pages: true });
    const id = await send({});
    const note = await team.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "Mine." });
    expect(note.body).not.toHaveProperty("delivery");
  });
});
