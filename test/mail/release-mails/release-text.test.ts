import { describe, expect, it } from "vitest";
import { plainNote, releaseText } from "../../../server/mail/outgoing/release-mails.ts";

const release = { appName: "Larder", version: "1.2", title: "Ovens", message: "It broke.\nBadly." };
const links = { statusUrl: "https://inn.example/p/t/x", stopUrl: "https://inn.example/p/t/x/stop" };
const mailed = { ...release, ...links, createdAt: "2026-11-23T10:00:00.000Z" };

it("the mail about a release has the text of the note, quotes the report, and says how to end such mails", () => {
  expect(releaseText({ ...mailed, note: "Ovens heat.\n\n- Fans spin." })).toBe(
    [
      ...["Larder 1.2 is available: Ovens", "", "Ovens heat.", "", "- Fans spin.", ""],
      ...["This release is about your message of 2026-11-23:", "> It broke.", "> Badly."],
      ...["", "You can answer on your page:", "https://inn.example/p/t/x", "", "-- "],
      ...["To stop mails about releases of Larder:", "https://inn.example/p/t/x/stop"],
    ].join("\n"),
  );
});

it("the mail about a release without a text has only its title", () => {
  expect(releaseText({ ...mailed, note: "" })).toMatch(/^Larder 1\.2 is available: Ovens\n\nThis release/);
});

it("the mail about a release has at most 4,000 characters of the note, cut between two words", () => {
  const note = "Käse 🧀 ".repeat(1_000);
  const [, shown = ""] = releaseText({ ...mailed, note }).split("\n\n");
  expect([...shown].length).toBeLessThanOrEqual(4_002);
  expect(shown).toMatch(/^(Käse 🧀 )+(Käse )?…$/);
});

describe("the text of a release note in a mail", () => {
  const items = [
    { type: "fixed", text: "The **oven**\nheats" },
    { type: "added", text: "Fans" },
    { type: "fixed", text: "Feedback: 01a1fda4-237d-759b-ad89-7cf5663516dc" },
    { type: "tuned", text: "Knobs" },
  ];
  const list = "Added:\n- Fans\n\nFixed:\n- The **oven** heats\n\nTuned:\n- Knobs";
  const none: typeof items = [];

  it.each([
    ["its list", { bodyFormat: "items", body: "Body.", items }, list],
    ["its text", { bodyFormat: "markdown", body: "Body.", items }, "Body."],
    ["its text if the list is empty", { bodyFormat: "items", body: "Body.", items: none }, "Body."],
    ["its list if the text is empty", { bodyFormat: "markdown", body: "", items }, list],
    ["nothing if it has neither", { bodyFormat: "markdown", body: "", items: none }, ""],
  ] as const)("is %s", (_, note, expected) => {
    expect(plainNote(note, (markdown) => markdown)).toBe(expected);
  });
});
