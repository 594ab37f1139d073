import { describe, expect, it } from "vitest";
import { entryFromThread } from "../../../../server/content/faqs/rules.ts";

const sender = { name: "Mara O'Neil (Berlin)", email: "mara.oneil@kitchen.example" };
const entry = (subject: string, ...replies: readonly string[]) =>
  entryFromThread({
    subject,
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
    expect(answer).toContain("we wrote to");
  });

  it("keeps words that only contain the name of the sender, and keeps versions and dates", () => {
    const text = "Use version 1.20.300.4 of Marathon since 2026-11-28.";
    expect(entry("?", text).answer).toBe(text);
  });

  it("has no answer if the thread has no reply, and accepts names with special characters", () => {
    const odd = { name: "[(x+", email: null };
    expect(entryFromThread({ subject: "A [(x+ b", sender: odd, messages: [] })).toEqual({
      question: "A … b",
      answer: "",
    });
  });
});
