import { describe, expect, it } from "vitest";
import { entryFromThread } from "../../../../server/content/faqs/rules.ts";
import { subjectOf } from "../../../../server/feedback/reports/rules.ts";

const sender = { name: "Mara O'Neil (Berlin)", email: "mara.oneil@kitchen.example" };
const entry = (subject: string, ...replies: readonly string[]) =>
  entryFromThread({
    subject,
    message: "",
    sender,
    messages: [
      ...replies.map((body) => ({ direction: "outbound", body })),
      { direction: "inbound", body: "My number is 1234." },
      { direction: "note", body: "Secret." },
    ],
  });

describe("a new FAQ entry from a thread (rule C33)", () => {
  it("contains the subject and the newest reply without the salutation", () => {
    expect(entry("How do I export?", "First.", "Hi Mara,\n\nOpen **Settings**.\n\nBye")).toEqual({
      question: "How do I export?",
      answer: "Open **Settings**.\n\nBye",
    });
    expect(entry("How?", "Hello everybody knows that it works.")).toMatchObject({
      answer: "Hello everybody knows that it works.",
    });
  });

  it("contains no data of the sender", () => {
    const reply =
      "Mara, we wrote to mara.oneil@kitchen.example and kim@home.example; call +49 (30) 1234 5678. See {statusUrl} or https://inn.example/p/t/abc-DEF";
    const { question, answer } = entry("Mara.oneil cannot sync (O'Neil)", reply);
    expect(`${question} ${answer}`).not.toMatch(/mara|neil|@|1234|statusUrl|\/p\/t\//i);
    expect(answer).toMatch(/^We wrote to/);
  });

  it.each([
    ["a greeting before a line break", "Hi Mara, we have fixed the\nexport.", "We have fixed the\nexport."],
    ["a greeting in the first sentence", "Hello Mara! open Settings.", "Open Settings."],
    ["a greeting that is a sentence", "Hi Mara. Open Settings, then Export.", "Open Settings, then Export."],
    ["a title", "Dear Dr. O'Neil, please update.", "Please update."],
    ["the name alone", "Mara, please update.", "Please update."],
    ["thanks to the sender", "Thank you, Mara! It works.", "Thank you! It works."],
    ["no greeting", "Hello world, hello all of you apps: it works.", "Hello all of you apps: it works."],
  ])("begins with a whole sentence after %s", (_, reply, answer) => {
    expect(entry("How?", reply).answer).toBe(answer);
  });

  it.each([
    ["a name that is not stored", "Hi Kim, open Settings.", "Open Settings."],
    ["a whole name that is not stored", "Hello Kim Berg, open Settings.", "Open Settings."],
    ["several words on a line", "Dear valued customer,\n\nopen Settings.", "Open Settings."],
    ["a line without a comma", "Hi Mara\n\nOpen Settings.", "Open Settings."],
    ["a line that ends with a colon", "Dear customer:\nOpen Settings.", "Open Settings."],
    ["a title and a whole name", "Dear Mr Mara O'Neil: open Settings.", "Open Settings."],
    ["a greeting alone", "Hello.\nOpen Settings.", "Open Settings."],
  ])("has an answer without a salutation with %s", (_, reply, answer) => {
    expect(entry("How?", reply).answer).toBe(answer);
  });

  it.each([
    "Hey Siri works again.",
    "Hey Siri works again",
    "Hey Siri works again!\n\nUpdate to 2.0.",
    "Hey Siri works now, after the update.",
    "Hello world widget\nis the new name.",
    "Hello world works. Update to 2.0.",
    "Dear diary: see the log.",
    "Hello!",
    "Hello everybody",
  ])("has an answer that keeps a beginning that is not a salutation before another text: %j", (reply) => {
    expect(entry("How?", reply).answer).toBe(reply);
  });

  it.each([
    ["Hi, how do I export?", "How do I export?"],
    ["Hello Kim! how do I export?", "How do I export?"],
    ["Good morning Innkeep team, how do I export?", "How do I export?"],
    ["Hola equipo, no funciona la VPN", "No funciona la VPN"],
    ["السلام عليكم، التطبيق لا يعمل", "التطبيق لا يعمل"],
  ])("has a question without the salutation of the subject: %j", (subject, question) => {
    expect(entry(subject).question).toBe(question);
  });

  it.each([
    "Hey Siri is broken",
    "Hello world",
    "Hello world!",
    "Good morning widget freezes",
    "Good morning. Widget freezes on rotate",
    "Hola VPN no funciona",
    "Hello World widget crashes, when I rotate",
    "Hello World widget, when I rotate",
    "Dear diary crashes: see log",
    "Dear diary: see the log of today",
    "Hello: the greeting is wrong",
    "Hi, it crashes",
    "Hi",
  ])("has the whole subject as its question if that may begin with its topic: %j", (subject) => {
    expect(entry(subject).question).toBe(subject);
  });

  it("has the whole first sentence of the report if the subject is cut", () => {
    const message = `Hi, the export of ${"very ".repeat(20)}long lists stops. It is slow, too.`;
    const subject = subjectOf("bug", message);
    expect(subject).toMatch(/…$/);
    const { question } = entryFromThread({ subject, message, sender, messages: [] });
    expect(question).toBe(`The export of ${"very ".repeat(20)}long lists stops.`);
    const other = entryFromThread({ subject: "Export…", message, sender, messages: [] });
    expect(other.question).toBe("Export…");
  });

  it("contains no part of an address that is written after a comma", () => {
    expect(entry("How?", "We wrote to Kim, mara.oneil and others.").answer).toBe(
      "We wrote to Kim, … and others.",
    );
  });

  it("keeps words that only contain the name of the sender, and keeps versions and dates", () => {
    const text = "Use version 1.20.300.4 of Marathon since 2026-11-28.";
    expect(entry("?", text).answer).toBe(text);
  });

  it("has no answer if the thread has no reply, and accepts names with special characters", () => {
    const odd = { name: "[(x+", email: null };
    expect(entryFromThread({ subject: "A [(x+ b", message: "", sender: odd, messages: [] })).toEqual({
      question: "A … b",
      answer: "",
    });
  });

  it.each([..."!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"])(
    "contains no part of a name and an address with %s",
    (mark) => {
      const odd = { name: `Jo${mark}An`, email: `ki${mark}lo@kitchen.example` };
      const reply = `Hi Jo${mark}An,\n\nwe asked Jo${mark}An at ki${mark}lo@kitchen.example.`;
      const { question, answer } = entryFromThread({
        subject: `Why did Jo${mark}An lose pictures?`,
        message: "",
        sender: odd,
        messages: [{ direction: "outbound", body: reply }],
      });
      expect(question).toBe("Why did … lose pictures?");
      expect(answer).not.toMatch(/jo|an\b/i);
    },
  );

  it.each([
    ["Jean-Paul", null, "Jean-Paul is here"],
    [null, "jean-paul@kitchen.example", "Jean-paul is here"],
    ["O'Neil, Mara", null, "Mara is here"],
    ["O'Neil, Mara", null, "O'Neil is here"],
    ["Mara O'Neil", null, "Mara\nO'Neil is here"],
    ["Mara", "mara.oneil@kitchen.example", "mara.oneil is here"],
    ["李 明", null, "李 明 is here"],
    ["İbrahim", null, "İbrahim is here"],
  ])("hides the name %j or the address %j in %j", (name, email, subject) => {
    const thread = { subject, message: "", sender: { name, email }, messages: [] };
    expect(entryFromThread(thread).question).toBe("… is here");
  });
});
