import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../../support/service/request.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { makeTeam, type Team } from "../../../support/worlds/members/team.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("saved replies in the console, without scripts", () => {
  let service: Service;
  let team: Team;
  let maria: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    team = await makeTeam(service);
    maria = createBrowserWithoutScripts(service, (await team.join("maintainer")).headers);
  });
  afterAll(() => service.stop());

  const own = () => `/console/saved-replies/${team.app.id}`;
  const at = (id: string, part = "") => `/console/feedback/${team.app.id}/${id}${part}`;
  const save = async (title: string, body: string) => {
    const made = await team.call("POST", `${team.at}/saved-replies`, { title, body });
    return String(made.field("id"));
  };
  const typedReply = ({ text }: { readonly text: string }) =>
    /<textarea[^>]*name="replyBody"[^>]*>\n?([\s\S]*?)<\/textarea>/.exec(text)?.[1];
  const insert = async (id: string, values: Record<string, string>) =>
    maria.send(await maria.open(at(id)), at(id, "/saved-reply"), values);

  it("are written on their own page, which shows them as a sender with the name Ada would read them", async () => {
    const wrong = await maria.send(await maria.open(own()), own(), { title: "Hello", body: "Hi {nam}" });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain("Hi {nam}");
    const made = await maria.send(wrong, own(), { title: "Hello", body: "Hi {name} of {app}: {statusUrl}" });
    const page = await maria.follow(made);
    expect(readingOf(page)).toContain("Hi Ada of Demo: https://…");
    const { items } = Object((await team.call("GET", `${team.at}/saved-replies`)).body);
    const part = (name: string) => `${own()}/${items[0].id}/${name}`;
    const changed = await maria.send(page, part("change"), { title: "Hello again" });
    expect(readingOf(await maria.follow(changed))).toContain("Hello again");
    await maria.send(await maria.open(own()), part("delete"));
    expect(readingOf(await maria.open(own()))).toContain("No saved replies yet");
  });

  it("are added to the field after the typed text, and nothing is sent", async () => {
    const savedReply = await save("Thanks", "Thank you, {name}!\nYour {app}");
    const id = await sendFeedback(service, team.app.key, { name: "Ada" });
    const page = await insert(id, { savedReply, replyBody: "Dear you,", noteBody: "A note" });
    expect(page.status).toBe(200);
    expect(typedReply(page)).toBe("Dear you,\n\nThank you, Ada!\nYour Demo");
    expect(page.text).toContain("A note");
    expect((await team.call("GET", `/feedback/${id}`)).body).toMatchObject({ messages: [] });
  });

  it("get the name of the sender who receives the reply", async () => {
    const savedReply = await save("Named", "Hello {name}!");
    const first = await sendFeedback(service, team.app.key, { name: "Ada", dedupeKey: "named" });
    await sendFeedback(service, team.app.key, { name: "Grace", dedupeKey: "named" });
    const { messages } = Object((await team.call("GET", `/feedback/${first}`)).body);
    const [repeat] = messages;
    expect(typedReply(await insert(first, { savedReply }))).toBe("Hello Grace!");
    expect(typedReply(await insert(first, { savedReply, replyReceiver: repeat.id }))).toBe("Hello Grace!");
    expect(typedReply(await insert(first, { savedReply, replyReceiver: "" }))).toBe("Hello Ada!");
    expect(typedReply(await insert(first, { savedReply, replyReceiver: "everyone" }))).toBe("Hello!");
  });

  it("refuse a reply to somebody else than the sender whose name they have put into the text, until it is sent again", async () => {
    const savedReply = await save("Greeting", "Hello {name}!");
    const first = await sendFeedback(service, team.app.key, { name: "Ada", dedupeKey: "greeting" });
    await sendFeedback(service, team.app.key, { name: "Grace", dedupeKey: "greeting" });
    const inserted = await insert(first, { savedReply, replyReceiver: "" });
    expect(typedReply(inserted)).toBe("Hello Ada!");
    const toAll = { direction: "outbound", replyReceiver: "everyone" };
    const refused = await maria.send(inserted, at(first, "/messages"), toAll);
    expect([refused.status, typedReply(refused)]).toEqual([400, "Hello Ada!"]);
    expect(readingOf(refused)).toContain("has the name Ada, but the reply goes to everyone who reported it");
    const sent = await maria.send(refused, at(first, "/messages"), toAll);
    expect(sent.status).toBe(303);
  });

  it("refuse the name again for another receiver, and if the reply was first refused for something else", async () => {
    const savedReply = await save("Again", "Hello {name}!");
    const first = await sendFeedback(service, team.app.key, { name: "Ada", dedupeKey: "again" });
    await sendFeedback(service, team.app.key, { name: "Grace", dedupeKey: "again" });
    const { messages } = Object((await team.call("GET", `/feedback/${first}`)).body);
    const inserted = await insert(first, { savedReply, replyReceiver: "" });
    const send = async (page: Answer, values: Record<string, string>) =>
      maria.send(page, at(first, "/messages"), { direction: "outbound", ...values });
    const unknown = await send(inserted, { replyReceiver: "", replyBody: "Hello Ada! {typo}" });
    expect([unknown.status, readingOf(unknown)]).toEqual([400, expect.stringContaining("has {typo}")]);
    const toGrace = await send(unknown, { replyReceiver: messages[0].id });
    expect([toGrace.status, readingOf(toGrace)]).toEqual([400, expect.stringContaining("somebody else")]);
    const toAll = await send(toGrace, { replyReceiver: "everyone" });
    expect([toAll.status, readingOf(toAll)]).toEqual([400, expect.stringContaining("everyone who")]);
    expect((await send(toAll, { replyReceiver: "" })).status).toBe(303);
  });

  it("refuse a restored text with the name of another sender, without the page on which it was inserted", async () => {
    const first = await sendFeedback(service, team.app.key, { name: "Ada", dedupeKey: "restored" });
    await sendFeedback(service, team.app.key, { name: "Grace", dedupeKey: "restored" });
    for (const direction of ["outbound", "resolve"]) {
      const page = await maria.open(at(first));
      const refused = await maria.send(page, at(first, "/messages"), { direction, replyBody: "Hello Ada!" });
      expect([refused.status, readingOf(refused)]).toEqual([
        400,
        expect.stringContaining("has the name Ada"),
      ]);
    }
    expect((await team.call("GET", `/feedback/${first}`)).body).toMatchObject({
      messages: [{ direction: "inbound" }],
    });
  });

  it("refuse a reply with the names of two senders, one of whom gets it", async () => {
    const savedReply = await save("Twice", "Hello {name}!");
    const first = await sendFeedback(service, team.app.key, { name: "Ada", dedupeKey: "twice" });
    await sendFeedback(service, team.app.key, { name: "Grace", dedupeKey: "twice" });
    const toAda = await insert(first, { savedReply, replyReceiver: "" });
    const { messages } = Object((await team.call("GET", `/feedback/${first}`)).body);
    const toGrace = { savedReply, replyReceiver: messages[0].id };
    const both = await maria.send(toAda, at(first, "/saved-reply"), toGrace);
    expect(typedReply(both)).toBe("Hello Ada!\n\nHello Grace!");
    const reply = { direction: "outbound", replyReceiver: toGrace.replyReceiver };
    const refused = await maria.send(both, at(first, "/messages"), reply);
    expect([refused.status, readingOf(refused)]).toEqual([400, expect.stringContaining("has the name Ada")]);
  });

  it("are sent if another receiver has the same name", async () => {
    const savedReply = await save("Same", "Hello {name}!");
    const first = await sendFeedback(service, team.app.key, { name: "Ada", dedupeKey: "same" });
    await sendFeedback(service, team.app.key, { name: "Ada", dedupeKey: "same" });
    const { messages } = Object((await team.call("GET", `/feedback/${first}`)).body);
    const inserted = await insert(first, { savedReply, replyReceiver: "" });
    const reply = { direction: "outbound", replyReceiver: messages[0].id };
    expect((await maria.send(inserted, at(first, "/messages"), reply)).status).toBe(303);
  });

  it("show a hostile name without effect, and do not treat it as a placeholder", async () => {
    const savedReply = await save("Hostile", "Hello {name}.");
    const name = "</textarea><script>alert(1)</script>{statusUrl}";
    const id = await sendFeedback(service, team.app.key, { name });
    const page = await insert(id, { savedReply });
    expect(page.text).not.toContain("<script>alert");
    expect(typedReply(page)).toBe("Hello &lt;/textarea>&lt;script>alert(1)&lt;/script>statusUrl.");
  });

  it("show a message if the chosen reply was deleted in the meantime", async () => {
    const savedReply = await save("Deleted", "Gone.");
    const id = await sendFeedback(service, team.app.key);
    const page = await maria.open(at(id));
    await team.call("DELETE", `/saved-replies/${savedReply}`);
    const answer = await maria.send(page, at(id, "/saved-reply"), { savedReply, replyBody: "Typed" });
    expect([answer.status, typedReply(answer)]).toEqual([400, "Typed"]);
  });

  it("may have typed placeholders, which are filled in when the reply is sent", async () => {
    const first = await sendFeedback(service, team.app.key, { name: "Ada", dedupeKey: "typed" });
    await sendFeedback(service, team.app.key, { dedupeKey: "typed" });
    const { messages } = Object((await team.call("GET", `/feedback/${first}`)).body);
    const replyTo = (more: object) =>
      team.call("POST", `/feedback/${first}/messages`, {
        direction: "outbound",
        body: "Hello {name}, from {app}.",
        ...more,
      });
    expect((await replyTo({})).field("body")).toBe("Hello Ada, from Demo.");
    expect((await replyTo({ reportId: messages[0].id })).field("body")).toBe("Hello, from Demo.");
    expect((await replyTo({ everyone: true })).field("body")).toBe("Hello, from Demo.");
    const empty = await replyTo({ everyone: true, body: "{name}" });
    expect([empty.status, empty.text]).toEqual([400, expect.stringContaining("placeholders")]);
    const note = { direction: "note", body: "Their {name} is empty." };
    const noted = await team.call("POST", `/feedback/${first}/messages`, note);
    expect(noted.field("body")).toBe(note.body);
  });

  it("are refused if a typed reply is too long with its placeholders filled in", async () => {
    const id = await sendFeedback(service, team.app.key, { name: "A sender with a long name" });
    const answer = await team.call("POST", `/feedback/${id}/messages`, {
      direction: "outbound",
      body: "{name} ".repeat(1_000),
    });
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining("must have at most 10000 characters with its placeholders filled in"),
    ]);
  });

  it("or a typed reply with a placeholder that is not known is refused until it is sent again", async () => {
    const id = await sendFeedback(service, team.app.key, { name: "Ada" });
    const reply = { direction: "outbound", replyBody: "Hello {nam}, call /users/{id}." };
    const refused = await maria.send(await maria.open(at(id)), at(id, "/messages"), reply);
    expect([refused.status, typedReply(refused)]).toEqual([400, reply.replyBody]);
    expect(readingOf(refused)).toContain("Your reply has {nam}, {id}");
    const changed = { ...reply, replyBody: "Hello {name}, call /users/{id}/{nr}." };
    const again = await maria.send(refused, at(id, "/messages"), changed);
    expect([again.status, readingOf(again)]).toEqual([400, expect.stringContaining("Your reply has {nr}")]);
    expect((await maria.send(again, at(id, "/messages"), changed)).status).toBe(303);
    expect((await team.call("GET", `/feedback/${id}`)).body).toMatchObject({
      messages: [{ body: "Hello Ada, call /users/{id}/{nr}." }],
    });
  });

  it("or a typed reply to everyone with the name of the sender is refused once, because the name is left out", async () => {
    const first = await sendFeedback(service, team.app.key, { name: "Ada", dedupeKey: "left-out" });
    await sendFeedback(service, team.app.key, { name: "Grace", dedupeKey: "left-out" });
    const reply = { direction: "outbound", replyBody: "Dear {name}, thank you." };
    const send = async (page: Answer, replyReceiver: string) =>
      maria.send(page, at(first, "/messages"), { ...reply, replyReceiver });
    const refused = await send(await maria.open(at(first)), "everyone");
    expect([refused.status, typedReply(refused)]).toEqual([400, reply.replyBody]);
    expect(readingOf(refused)).toContain(
      "has {name}, which would be left out, because the reply goes to everyone who reported it.",
    );
    expect((await send(refused, "everyone")).status).toBe(303);
    expect((await send(await maria.open(at(first)), "")).status).toBe(303);
    const { messages } = Object((await team.call("GET", `/feedback/${first}`)).body);
    expect(messages.slice(1)).toMatchObject([
      { body: "Dear, thank you.", everyone: true },
      { body: "Dear Ada, thank you." },
    ]);
  });

  it("or a typed reply with the link to a page is refused once if the app has no sender pages", async () => {
    const other = await makeTeam(service);
    await other.call("PATCH", other.at, { senderPages: false });
    const person = createBrowserWithoutScripts(service, (await other.join("maintainer")).headers);
    const id = await sendFeedback(service, other.app.key);
    const path = `/console/feedback/${other.app.id}/${id}`;
    const reply = { direction: "outbound", replyBody: "Look at {statusUrl}." };
    const refused = await person.send(await person.open(path), `${path}/messages`, reply);
    expect([refused.status, readingOf(refused)]).toEqual([400, expect.stringContaining("{statusUrl}")]);
    expect((await person.send(refused, `${path}/messages`, reply)).status).toBe(303);
    const thread = await other.call("GET", `/feedback/${id}`);
    expect(thread.field("messages.0.body")).toBe("Look at.");
  });

  it("get the own link of each receiver, which the thread does not show", async () => {
    const app = { headers: { "x-api-key": team.app.key } };
    const body = { type: "bug", message: "Where is it?" };
    const sent = await service.request("POST", "/api/v1/feedback/remote", { ...app, body });
    const [id, statusUrl] = [sent.field("id"), String(sent.field("statusUrl"))];
    const reply = { direction: "outbound", body: "Look at {statusUrl} again." };
    await team.call("POST", `/feedback/${id}/messages`, reply);
    const page = await service.request("GET", new URL(statusUrl).pathname, {
      headers: { accept: "text/html" },
    });
    expect(readingOf(page)).toContain(`Look at ${statusUrl} again.`);
    expect((await team.call("GET", `/feedback/${id}`)).text).not.toContain("/p/t/");
    const list = `/console/feedback/${team.app.id}`;
    for (const shown of [at(String(id)), list, `${list}?q=again`])
      expect(readingOf(await maria.open(shown))).toContain("Look at (link to the sender's page) again");
  });
});
