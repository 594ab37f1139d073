import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readMail } from "../../../server/mail/incoming/read.ts";

const bounds = { bytes: 64 * 1_048_576 };

const read = async (name: string) =>
  readMail(await readFile(join(import.meta.dirname, "../../inputs", `mail-${name}.eml`)), bounds);

const answers = [
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
  ["exchange-person", "It works now."],
  ["list-person", "Still slow on my phone."],
  ["octet-stream-attachment", "The trace is attached."],
  ["forwarded-attachment", "My provider wrote the mail below."],
] as const;

const ofPrograms = [
  ["gmail-vacation", "auto_submitted"],
  ["exchange-out-of-office", "auto_submitted"],
  ["sieve-vacation", "no_sender"],
] as const;

const withFiles = [
  ["text-attachment", ["crash.log: E/App: crash at line 3", "data.csv: a,b"]],
  ["octet-stream-attachment", ['trace.json: {"step":3}']],
  ["forwarded-attachment", ["provider.eml: From: provider@example.org"]],
] as const;

it.each(answers)("the text of the mail %s is read without quotations", async (name, text) => {
  expect(await read(name)).toMatchObject({ kind: "answer", text });
});

it("this test reads each mail of the input folder", async () => {
  const others = ["thunderbird-german", "blank-text-beside-html", "only-quotation"];
  const names = [...answers, ...ofPrograms].map(([name]) => name);
  const read = [...names, ...others].map((name) => `mail-${name}.eml`);
  const inputs = await readdir(join(import.meta.dirname, "../../inputs"));
  expect(read.sort()).toEqual(inputs.filter((name) => /^mail-.*\.eml$/.test(name)).sort());
});

it.each(ofPrograms)(
  "the mail %s of a program is not read as a mail of a person",
  async (name, automaticReason) => {
    expect(await read(name)).toMatchObject({ kind: "automatic", automaticReason });
  },
);

it.each(withFiles)("an attachment of the mail %s is read as a file with its name", async (name, files) => {
  const mail = await read(name);
  const begin = (bytes: Uint8Array) => Buffer.from(bytes).toString().split("\n")[0]?.trim();
  expect(mail?.attachments.map((file) => `${file.name}: ${begin(file.bytes)}`)).toEqual(files);
});

it("answers between quotations are kept", async () => {
  const mail = await read("thunderbird-german");
  expect(mail?.text.split("\n").filter((line) => line !== "")).toEqual(["Version 2.4.1.", "A Fairphone."]);
});

it("HTML is read if the plain text is empty: cells are separated, and links keep their targets", async () => {
  expect((await read("blank-text-beside-html"))?.text.split("\n").map((line) => line.trim())).toEqual([
    "It crashes, see the log [https://kitchen.example/log].",
    "",
    "Version 2.4.1",
    "Phone Fairphone",
  ]);
});

it("a mail that is only a quotation is shown as a whole", async () => {
  expect(await read("only-quotation")).toMatchObject({ text: "> Please try again.\n> Or write to us." });
});

it("an answer below a long quotation is found", async () => {
  const quoted = "> We have looked at this, and think that it is mended.\n".repeat(400);
  const mail = `From: ada@kitchen.example\nSubject: Re: Crash\n\nTeam wrote:\n${quoted}\nIt is not.\n`;
  expect((await readMail(Buffer.from(mail), bounds))?.text).toMatch(/It is not\.$/);
});
