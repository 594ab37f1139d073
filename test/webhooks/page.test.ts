import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startReceiver, verified } from "../support/network/event-receiver.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeTeam } from "../support/worlds/members/team.ts";
import { sendFeedback } from "../support/worlds/owner-with-one-of-each.ts";

describe("the page of webhooks, without scripts", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ settings: { privateWebhooks: true } });
  });
  afterAll(() => service.stop());

  const openPages = async () => {
    const team = await makeTeam(service);
    const headers = await service.signIn(team.owner);
    const at = `${service.baseUrl}/console/webhooks/${team.app.id}`;
    const open = async (path = "") => {
      const answer = await fetch(at + path, { headers: { ...headers, accept: "text/html" } });
      return { status: answer.status, text: await answer.text() };
    };
    const send = async (path: string, fields: Record<string, string>) => {
      const body = new URLSearchParams({ once: service.deps.newId(), ...fields });
      const answer = await fetch(at + path, { method: "POST", body, redirect: "manual", headers });
      return { status: answer.status, to: answer.headers.get("location") ?? "", text: await answer.text() };
    };
    return { team, open, send };
  };

  it("creates a webhook, shows its secret once, and shows the answers in its log", async () => {
    const { team, open, send } = await openPages();
    const receiver = await startReceiver();
    expect((await open()).text).toContain("No webhooks yet");
    const made = await send("", { url: receiver.url, "feedback.created": "on" });
    const secret = /whsec_[A-Za-z0-9+/=]+/.exec(made.text)?.[0] ?? "";
    expect(secret).not.toBe("");
    const listed = await open();
    expect(listed.text).not.toContain(secret);
    const id = /webhooks\/[\w-]+\/([\w-]{36})"/.exec(listed.text)?.[1] ?? "";
    await sendFeedback(service, team.app.key);
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const [message] = receiver.received;
    if (message) verified(secret, message);
    await eventually(async () => expect((await open(`/${id}`)).text).toContain("Delivered"));
    const page = (await open(`/${id}`)).text;
    expect(page).toContain("feedback.created");
    expect(page).toContain("thanks");
    const deliveryId = message?.id ?? "";
    expect((await send(`/${id}/deliveries/${deliveryId}/resend`, {})).to).toContain("webhook-resent");
    expect((await send(`/${id}/test`, {})).to).toContain("webhook-tested");
    await eventually(() => expect(receiver.received).toHaveLength(3));
    const replay = { from: "2026-01-01T00:00", to: "2099-01-01T00:00" };
    expect((await send(`/${id}/replay`, replay)).to).toContain("webhook-replayed");
    await eventually(() => expect(receiver.received).toHaveLength(4));
  });

  it("replaces the secret of a webhook, turns it off and on, and deletes it", async () => {
    const { open, send } = await openPages();
    await send("", { url: "https://example.org/hook" });
    const id = /webhooks\/[\w-]+\/([\w-]{36})"/.exec((await open()).text)?.[1] ?? "";
    const rotated = await send(`/${id}/rotate`, { oldSecretHours: "24" });
    expect(rotated.text).toMatch(/whsec_/);
    expect(rotated.text).toContain("The old secret works until");
    expect((await send(`/${id}/off`, {})).to).toContain("webhook-off");
    expect((await open(`/${id}`)).text).toContain("Switch on");
    expect((await send(`/${id}/test`, {})).text).toContain("switched off");
    expect((await send(`/${id}/on`, {})).to).toContain("webhook-on");
    const change = { url: "https://example.org/other", texts: "on" };
    expect((await send(`/${id}/change`, change)).to).toContain("changed");
    expect((await open()).text).toContain("with texts");
    expect((await send(`/${id}/delete`, {})).to).toContain("webhook-deleted");
    expect((await open(`/${id}`)).status).toBe(404);
  });

  it("says what is wrong with an address, and keeps the typed text", async () => {
    const { send } = await openPages();
    const { status, text } = await send("", { url: "ftp://example.org/", "faq.changed": "on" });
    expect(status).toBe(400);
    expect(text).toContain("ftp://example.org/");
  });

  it("is only for owners", async () => {
    const { team } = await openPages();
    const maintainer = await team.join("maintainer");
    const answer = await fetch(`${service.baseUrl}/console/webhooks/${team.app.id}`, {
      headers: { ...maintainer.headers, accept: "text/html" },
    });
    expect(answer.status).toBe(403);
  });
});
