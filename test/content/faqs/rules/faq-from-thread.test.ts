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

  it("has the whole first sentence of the report if the subject is cut", () => {
    const message = `Hi, the export of ${"very ".repeat(20)}long lists stops. It is slow, too.`;
    const subject = subjectOf("bug", message);
    expect(subject).toMatch(/…$/);
    const { question } = entryFromThread({ subject, message, sender, messages: [] });
    expect(question).toBe(`The export of ${"very ".repeat(20)}long lists stops.`);
    const other = entryFromThread({ subject: "Export…", message, sender, messages: [] });
    expect(other.question).toBe("Export…");
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

  it.each([
    ["a name with a hyphen", { name: "Anna-Lena Berg", email: null }],
    ["an address with a hyphen", { name: null, email: "anna-lena@kitchen.example" }],
  ])("leaves out %s", (_, hyphenated) => {
    const messages = [{ direction: "outbound", body: "Anna-Lena, please update." }];
    const asked = { subject: "Anna-Lena cannot sync", message: "", sender: hyphenated, messages };
    expect(entryFromThread(asked)).toEqual({ question: "… cannot sync", answer: "Please update." });
  });

  it.each([
    ["the same word twice", "aa aa"],
    ["the same word in capital letters", "aa AA"],
    ["words that differ only in forms of a letter", "sa ſa"],
  ])("is made from a text that repeats the name of a sender with %s", (_, name) => {
    const repeated = Array.from({ length: 60 }, () => name).join(" ");
    const made = { subject: `${repeated} x`, message: "", sender: { name, email: null }, messages: [] };
    expect(entryFromThread(made).question).toMatch(/^(… )+x$/);
  });

  it("leaves out a name that ends with a letter alone", () => {
    const messages = [{ direction: "outbound", body: "Mara B, please update. Thanks, Mara B!" }];
    const asked = { subject: "?", message: "", sender: { name: "Mara B", email: null }, messages };
    expect(entryFromThread(asked).answer).toBe("Please update. Thanks!");
  });
});
