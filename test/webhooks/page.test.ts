import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  readingOf,
} from "../support/browser/browser-without-scripts.ts";
import { eventually } from "../support/eventually.ts";
import { startReceiver, verified } from "../support/network/event-receiver.ts";
import type { Answer } from "../support/service/request.ts";
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
    const browser = createBrowserWithoutScripts(service, headers);
    return { team, open, send, browser };
  };

  it("creates a webhook, shows its secret once, and shows the answers in its log", async () => {
    const { team, open, send } = await openPages();
    const receiver = await startReceiver();
    expect((await open()).text).toContain("No webhooks yet");
    const made = await send("", { url: receiver.url, "events.feedback.created": "on" });
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
    const { team, open, send, browser } = await openPages();
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
    const path = `/console/webhooks/${team.app.id}/${id}`;
    expect((await browser.send(await browser.open(path), `${path}/change`, change)).status).toBe(303);
    expect((await open()).text).toContain("with texts");
    expect((await send(`/${id}/delete`, {})).to).toContain("webhook-deleted");
    expect((await open(`/${id}`)).status).toBe(404);
  });

  it("says what is wrong with an address, and keeps the typed text", async () => {
    const { send } = await openPages();
    const { status, text } = await send("", { url: "ftp://example.org/", "events.faq.changed": "on" });
    expect(status).toBe(400);
    expect(text).toContain("ftp://example.org/");
  });

  describe("with the events of a webhook that another person has changed in the meantime", () => {
    const openEvents = async (events: readonly string[] | null) => {
      const { team, browser } = await openPages();
      const made = await team.call("POST", `${team.at}/webhooks`, { url: "https://hooks.example/", events });
      const path = `/console/webhooks/${team.app.id}/${made.field("id")}`;
      const change = (page: Answer, values: Record<string, string>) =>
        browser.send(page, `${path}/change`, values);
      const open = () => browser.open(path);
      const eventsIn = (page: Answer) =>
        Object.keys(fieldsOf(formOf(page, `${path}/change`))).filter((name) => name.startsWith("events."));
      const stored = async () => {
        const { body } = await team.call("GET", `${team.at}/webhooks`);
        return Object(body).items[0].events;
      };
      return { change, open, eventsIn, stored };
    };
    const [decided, changed] = ["run.decided", "faq.changed"];
    const off = "";

    it("shows the saved events before it replaces them", async () => {
      const { change, open, eventsIn, stored } = await openEvents([decided, changed]);
      const page = await open();
      expect((await change(await open(), { [`events.${decided}`]: off })).status).toBe(303);
      const refused = await change(page, { [`events.${changed}`]: off });
      expect(refused.status).toBe(400);
      expect(readingOf(refused)).toContain(
        "The choice of events was changed by somebody else since you opened this page",
      );
      expect(refused.text).toMatch(
        /<textarea[^>]*aria-label="Saved text of The choice of events">\s*faq\.changed/,
      );
      expect(eventsIn(refused)).toEqual([`events.${decided}`]);
      expect(await stored()).toEqual([changed]);
      expect((await change(refused, {})).status).toBe(303);
      expect(await stored()).toEqual([decided]);
    });

    it("says that all events are chosen if that is saved", async () => {
      const { change, open } = await openEvents([decided]);
      const page = await open();
      expect((await change(await open(), { [`events.${decided}`]: off })).status).toBe(303);
      const refused = await change(page, { [`events.${changed}`]: "on" });
      expect(refused.status).toBe(400);
      expect(refused.text).toMatch(
        /<textarea[^>]*aria-label="Saved text of The choice of events">\s*All events/,
      );
    });

    it("shows the saved events in a form that was refused for another reason", async () => {
      const { change, open, eventsIn, stored } = await openEvents(null);
      const page = await open();
      expect((await change(await open(), { [`events.${decided}`]: "on" })).status).toBe(303);
      const refused = await change(page, { url: "ftp://hooks.example/" });
      expect(refused.status).toBe(400);
      expect(readingOf(refused)).not.toContain("was changed by somebody else");
      expect(eventsIn(refused)).toEqual([`events.${decided}`]);
      expect((await change(refused, { url: "https://hooks.example/2" })).status).toBe(303);
      expect(await stored()).toEqual([decided]);
    });

    it("saves the same events twice without a refusal", async () => {
      const { change, open, stored } = await openEvents([changed, decided]);
      const page = await open();
      const both = { [`events.${changed}`]: off, "events.run.claimed": "on" };
      expect((await change(await open(), both)).status).toBe(303);
      expect((await change(page, both)).status).toBe(303);
      expect(await stored()).toEqual([decided, "run.claimed"]);
    });
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
