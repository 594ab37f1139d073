import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readMail } from "../../../server/mail/read-mail.ts";

const bounds = { bytes: 64 * 1_048_576 };

const read = async (name: string) =>
  readMail(await readFile(join(import.meta.dirname, "../../inputs", `mail-${name}.eml`)), bounds);

it.each([
  ["answer-below-quote-html", "Version 2.4.1 on Android."],
  ["gmail-wrapped-header", "Works now, thanks."],
  ["gmail-french", "Merci, cela marche."],
  ["html-entities", "It's fine — grün €5 ’ok’"],
  ["outlook-divider", "It still fails on my phone."],
  ["outlook-html", "Still broken."],
  ["outlook-original-message", "No change."],
  ["outlook-german", "Es geht immer noch nicht.\n\nMit freundlichen Grüßen\nAda"],
  ["outlook-french", "Toujours en panne."],
  ["signature-below-quote", "Yes."],
  ["text-attachment", "Here is the log."],
  ["x-auto-response-suppress", "A person wrote this."],
  ["apple-mail", "It works now."],
  ["apple-mail-html", "It works now."],
  ["yahoo-html", "Still the same."],
])("a mail is what its sender wrote, without what it quotes: %s", async (name, text) => {
  expect(await read(name)).toMatchObject({ kind: "answer", text });
});

it("answers between quotations stay", async () => {
  const mail = await read("thunderbird-german");
  expect(mail?.text.split("\n").filter((line) => line !== "")).toEqual(["Version 2.4.1.", "A Fairphone."]);
});

it("a blank text beside HTML counts as none: cells stay apart, and links keep their targets", async () => {
  expect((await read("blank-text-beside-html"))?.text.split("\n").map((line) => line.trim())).toEqual([
    "It crashes, see the log [https://kitchen.example/log].",
    "",
    "Version 2.4.1",
    "Phone Fairphone",
  ]);
});

it("a mail of nothing but a quotation is shown whole", async () => {
  expect(await read("only-quotation")).toMatchObject({ text: "> Please try again.\n> Or write to us." });
});
