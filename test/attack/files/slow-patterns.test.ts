import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { secretIn } from "../../../mcp/refusals.ts";
import { browserName } from "../../../server/access/sign-in/rules.ts";
import { fieldsOf as formFieldsOf } from "../../../server/console/forms.tsx";
import { entryFromThread } from "../../../server/content/faqs/rules.ts";
import { hasWords } from "../../../server/content/texts/rules.ts";
import { senderKeysOf } from "../../../server/feedback/blocked-senders/rules.ts";
import { otherNamesIn, replyFrom } from "../../../server/feedback/saved-replies/rules.ts";
import { addIndexed, wordsIn } from "../../../server/feedback/search/rules.ts";
import { hasDrafts, recallNoteName } from "../../../server/feedback/threads/page/fields.tsx";
import { parseStrictJson } from "../../../server/http/body/strict-json.ts";
import { fingerprintOf } from "../../../server/http/call-steps.ts";
import { readMail } from "../../../server/mail/incoming/read.ts";
import { readChangelogFile, readNotes } from "../../../src/cli/changelog/notes/changelog-file.lazy.ts";
import { readChangesets } from "../../../src/cli/changelog/notes/changesets.lazy.ts";
import { feedbackIdsIn, withoutFeedbackLines } from "../../../src/contract/content-text.ts";
import { fitMetadata } from "../../../src/contract/feedback.ts";
import { memberName } from "../../../src/contract/fields.ts";
import { fieldsOf, normalised } from "../../../src/contract/json.ts";
import { limits } from "../../../src/contract/limits.ts";
import { pdfOfText } from "../../../src/words/text-pdf.ts";
import { deliveryWords, runsOf } from "../../../src/words/thread.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { processorTime } from "../../support/processor-time.ts";

/** So long that a search takes minutes if its time grows with the square of the length. */
const times = 300_000;
const bounds = { bytes: 64 * 1_048_576 };
const id = "01a1fda4-237d-759b-ad89-7cf5663516dc";

/** Fails if the time of `use` seems to grow with the square of the length of the text. */
function soon(use: () => unknown): void {
  const spent = processorTime();
  use();
  expect(spent()).toBeLessThan(15_000);
}

it.each([
  ["dots behind a version", `1.0${".".repeat(times)}a b`],
  ["signs behind a version", `1.0 x${" -".repeat(times)} a b`],
  ["months", `1.0 ${"jan".repeat(times)}`],
  ["names of packages", `${"a-".repeat(times)}!`],
  ["digits", `${"1".repeat(times)}!`],
  ["years", `1.0 ${"2026-".repeat(times)}`],
])("the heading of a changelog is read quickly with any text: %s", (_, heading) => {
  soon(() => readChangelogFile(`## 1.0.0\n\n- Fix a\n\n## ${heading}\n\n- Fix b\n`));
});

it.each([
  ["paragraphs", `## 1.0.0\n\n${"a\n\n".repeat(100_000)}`],
  ["versions", Array.from({ length: 20_000 }, (_, at) => `## 1.0.${at}\n`).join("\n")],
  ["changes", `## 1.0.0\n\n### Fixed\n\n${"- a\n".repeat(50_000)}`],
  ["lists of one change", `## 1.0.0\n\n### Fixed\n\n${"- a\n\n* b\n\n".repeat(20_000)}`],
  ["hashes behind a change", `## 1.0.0\n\n### Fixed\n\n- a ${"(aaaaaaa)".repeat(times)}x\n`],
  ["people to thank", `## 1.0.0\n\n### Fixed\n\n- Thanks ${"@a and ".repeat(times)}x\n`],
  ["lists in lists", `## 1.0.0\n\n${"- ".repeat(times)}a\n`],
  ["quotes in quotes", `## 1.0.0\n\n${">".repeat(times)}a\n`],
])("a changelog is read quickly with any number of these parts: %s", (_, text) => {
  soon(() => readChangelogFile(text));
});

it("changesets are read quickly with any text in their front matter", () => {
  for (const line of [`${" ".repeat(times)}b`, `a${" ".repeat(times)}b`, `"a${":".repeat(times)}b`])
    soon(() => {
      const { faults } = readChangesets([{ name: "a.md", text: `---\n${line}\n---\nA change.\n` }]);
      expect(faults).toHaveLength(1);
      expect(faults[0]?.message.length).toBeLessThan(2_000);
    });
});

it.each([
  ["angles and signs", "<@".repeat(times)],
  ["addresses that do not end", "<a@b".repeat(times)],
  ["line ends", "\n".repeat(times)],
  ["short lines", "a\n".repeat(times)],
  ["quotations", ">\r\n".repeat(times)],
  ["spaces", " ".repeat(times)],
  ["first words", "On ".repeat(times)],
  ["first words on lines of their own", "Op \nschreef".repeat(times)],
  ["words of headers", "From: <".repeat(times)],
  ["signatures", "Sent from a\n".repeat(times)],
])("an answer by mail is read quickly with any text before its quotation: %s", async (_, line) => {
  const spent = processorTime();
  const head = "From: ada@kitchen.example\r\n\r\n";
  const mail = await readMail(Buffer.from(`${head}Thanks.\r\n${line}:\r\n> Hello`), bounds);
  expect(mail?.text).toContain("Thanks.");
  expect(spent()).toBeLessThan(15_000);
});

it.each(["<", "<a ", "<br", "<style ", "<style></style>", "<head><style>", "<blockquote ", "&nbsp"])(
  "an HTML answer by mail is read quickly, or the reading ends: %j",
  async (part) => {
    const head = "From: ada@kitchen.example\r\nContent-Type: text/html\r\n\r\n";
    const spent = processorTime();
    await readMail(Buffer.from(head + part.repeat(times)), bounds);
    expect(spent()).toBeLessThan(15_000);
  },
);

it("the reading of a mail ends when it takes too long, and the next mail is read", async () => {
  const head = "From: ada@kitchen.example\r\nContent-Type: text/html\r\n\r\n";
  const large = Buffer.from(`${head}${"\n".repeat(3_000_000)}x`);
  // The thread that reads the text has not started by then.
  expect(await readMail(large, { ...bounds, milliseconds: 1 })).toBeUndefined();
  expect(await readMail(Buffer.from(`${head}<p>Thanks.</p>`), bounds)).toMatchObject({
    kind: "answer",
    from: "ada@kitchen.example",
    text: "Thanks.",
  });
});

it("lines that name feedback are found quickly", () => {
  for (const text of [
    " ".repeat(times),
    `- ${" ".repeat(times)}`,
    `Feedback: ${id}\n${" \n".repeat(times)}x`,
  ])
    soon(() => [
      withoutFeedbackLines(`${text}x`),
      withoutFeedbackLines(`Feedback:${text}x`),
      readNotes(`${text}x`),
    ]);
});

it.each(["[", "[a", "(", "https://", "01a1fda4-", " ", "\n ", "Feedback: ", "/feedback/"])(
  "the feedback that a line names is found quickly with any text after it: %j",
  (part) => {
    const line = `Feedback: ${id} ${part.repeat(times / part.length)}x`;
    soon(() => [feedbackIdsIn(line), withoutFeedbackLines(line)]);
  },
);

it("a text with control sequences for terminals is quickly converted to a PDF without these sequences", () => {
  for (const text of [
    "\u001b".padEnd(times, ";#"),
    "\u001b[1;".repeat(times),
    "\u001b]8;;".repeat(times),
    "\u009b".repeat(times),
    "\u001b[2K\r1%".repeat(times / 7),
    "a\b".repeat(times / 2),
    `${"\u001b[99A\n".repeat(times / 100)}`,
    "\u001b[999999999C".repeat(2_000),
    " ".repeat(times).padEnd(times + 9, "\r- x"),
  ])
    soon(() => pdfOfText({ name: "a.log", bytes: Buffer.from(text), text }));
});

it("the number of a CI run is found quickly in an address that contains very many digits", () => {
  const repeats = [`${"0".repeat(times)}x`, "https://ci.example/8412/"].map((runUrl) => ({
    body: "",
    metadata: { runUrl, run: 7 },
  }));
  soon(() => expect(runsOf(repeats)).toBe("runs 7 to 8412"));
});

it("a text that has very many marks on one letter is indexed and searched quickly", () => {
  const text = `a${"\u033f\u0319".repeat(times / 2)} b`;
  soon(() => {
    expect(wordsIn(text).map(({ word }) => word)).toEqual(["a", "b"]);
    expect(hasWords([text], ["b"])).toBe(true);
  });
});

it("a text of words that are joined by very many hyphens is indexed quickly", () => {
  const into = new Set<string>();
  soon(() => addIndexed(into, "a-".repeat(100_000)));
  expect(into).toContain("a".repeat(64));
  expect(into).not.toContain("a".repeat(65));
});

it("the receivers of a reply are named quickly, however many there are", () => {
  const mailedTo = Array.from({ length: times }, (_, at) => `${at}@kitchen.example`);
  soon(() => expect(deliveryWords({ mailedTo, onPage: false, reason: null, missed: 0 })).toHaveLength(1));
});

// The last two are letters in Unicode, but their normalised forms are marks.
it.each(["\u0301\u0323", "\uff9e\u0323", "\uff9f\u302a"])(
  "a text of the marks %j is normalised quickly, and refused quickly as a name",
  (marks) => {
    const text = `a${marks.repeat(times / 2)}`;
    soon(() => {
      for (const form of ["NFC", "NFD", "NFKC", "NFKD"] as const) normalised(text, form);
      expect(memberName.safeParse(text).success).toBe(false);
    });
  },
);

it.each([
  ["labels", `eve@${"a.".repeat(times)}example.org`],
  ["marks", `eve@${"\uff9e\u0323".repeat(times / 2)}.example.org`],
  ["letters", `${"a".repeat(times)}@mail.example.org`],
  ["brackets", `${"<".repeat(times)}eve@mail.example.org>`],
])("the contact of a report is quickly compared with the blocked senders: many %s", (_, contact) => {
  soon(() => expect(senderKeysOf(contact).domains.length).toBeLessThan(128));
});

it.each([
  ["different fields", (at: number) => recallNoteName(String(at))],
  ["fields of one name", () => "replyBody"],
])("a form of very many %s is read quickly", (_, nameAt) => {
  const fields = Array.from({ length: 50_000 }, (_, at) => [nameAt(at), "\r\n"]);
  soon(() => expect(hasDrafts(formFieldsOf(new URLSearchParams(fields)), undefined)).toBe(false));
});

it("long numbers in metadata are read quickly, and stay as text", () => {
  const number = `1.${"0".repeat(997)}1`;
  const json = `{"metadata":[${Array(20_000).fill(number).join(",")}]}`;
  soon(() => expect(parseStrictJson(Buffer.from(json), "metadata")).toHaveProperty("metadata.19999", number));
});

it.each([
  ["carriage returns", "\r"],
  ["marks on one letter", "\u0301\u0323"],
  ["movements to the right", "\u001b[200C"],
  ["movements up", "\u001b[100A"],
])("a text of 1 MiB that contains only %s is converted to a PDF quickly", (_, part) => {
  const text = `a${part.repeat(1_048_570 / Buffer.byteLength(part))}x`;
  soon(() => pdfOfText({ name: "a.log", bytes: Buffer.from(text), text }));
});

it.each(["a", "/.", " ", "\u2500", "a/", "1.", "-1e", "\u241b[", "0x", "[[ATTACHMENT|", "'", "at ", "a.b:"])(
  "a report of tests is read quickly with any texts: %j",
  async (text) => {
    const line = await createCommandLine({
      INNKEEP_BASE_URL: "http://127.0.0.1:9",
      INNKEEP_API_KEY: "innkeep_x",
    });
    const long = text.repeat(times / text.length);
    const shorter = `${text.repeat(30_000)}!`;
    const report =
      `<testsuites><testsuite name="${long}!" file="${long}!"><testcase classname="${long}!" name="${shorter}">` +
      `<failure type="${long}!" message="${shorter}">${long}!</failure><system-out>${long}</system-out>` +
      "</testcase></testsuite></testsuites>";
    await writeFile(join(line.cwd, "a.xml"), report);
    const spent = processorTime();
    const ran = await line.run(["feedback", "send", "--junit", "a.xml", "--dry-run", "--json"]);
    expect(spent()).toBeLessThan(15_000);
    expect(ran).toMatchObject({ exit: 0 });
  },
);

it.each(["\t", " ", "{", "{name", "{app} "])(
  "a saved reply is filled in quickly with any text: %j",
  (part) => {
    soon(() => replyFrom(`${part.repeat(times)}x`, { name: "Ada", app: "Larder", hasPage: true }));
  },
);

it.each(["Version/1", "Version/", "1.", " Safari", "Edg"])(
  "the name of a browser is found quickly in any text: %j",
  (part) => {
    soon(() => browserName(`Version/${part.repeat(times)}`));
  },
);

it.each([
  "eyJ-",
  "A_TOKEN",
  "TOKEN",
  "PASSWORD ",
  "Authorization: ",
  "a://a:",
  "sk-",
  "-----BEGIN ",
  "aws_secret_access_key",
])("a secret in the text of an agent is found quickly with any text: %j", (part) => {
  soon(() => secretIn(`${part.repeat(times)}!`, []));
});

const repeatedNames: readonly (readonly [name: string, part: string])[] = [
  ["aa bb", " aa bb"],
  ["aa bb", ", aa bb"],
  ["aa aa", " aa"],
  ["aa AA aa", " aa"],
  ["aa aaa aaaa", " aaaa aaa"],
  ["a, aa, aaa,", " aa, aaa,"],
  ["a-a a-a-a", " a-a a-a-a"],
  ["aa bb", " aa\n"],
  ["aa aa aa aa aa aa aa aa b", " aa"],
];

it.each(repeatedNames)(
  "an FAQ entry of the sender %j is made quickly from a text with many %j",
  (name, part) => {
    for (const repeats of [60, times / part.length]) {
      const text = `y,${part.repeat(repeats)} x`;
      for (const begun of [text, text.slice(3), `Hi${text.slice(2)}`])
        soon(() =>
          entryFromThread({
            subject: begun,
            message: begun,
            sender: { name, email: "aa@kitchen.example" },
            messages: [{ direction: "outbound", body: begun }],
          }),
        );
    }
  },
);

it.each(repeatedNames)(
  "the name %j of another sender is found quickly in a text with many %j",
  (name, part) => {
    const text = part.repeat(times / part.length);
    soon(() => otherNamesIn(`${text} x`, { receivers: ["Kim"], all: ["Kim", name] }));
  },
);

it.each(["\n", " ", "\t", "a ", ", ", "Mr. ", ". "])(
  "the salutation of an FAQ entry is found quickly in a text with many %j",
  (part) => {
    const text = `Hi ${part.repeat(times)};`;
    const messages = [{ direction: "outbound", body: text }];
    soon(() =>
      entryFromThread({ subject: text, message: text, sender: { name: "Kim", email: null }, messages }),
    );
  },
);

const MB = 1_048_576;

/** JSON of almost `bytes` bytes that repeats a value. */
const repeatedTo = (bytes: number, value: string) =>
  `[${`${value},`.repeat((bytes - 100) / (value.length + 1))}0]`;

it.each([
  ["nested lists", repeatedTo(4 * MB, `${"[".repeat(16)}${"]".repeat(16)}`)],
  ["lists", repeatedTo(4 * MB, "[]")],
  ["objects", repeatedTo(4 * MB, "{}")],
  ["numbers with exponents", repeatedTo(4 * MB, "1e1")],
  ["numbers", repeatedTo(4 * MB, "1")],
  ["entries", `{${Array.from({ length: 350_000 }, (_, at) => `"${at}":1`).join(",")}}`],
])("a report is read quickly with metadata of 4 MiB that contains only small %s", (_, metadata) => {
  const spent = processorTime();
  for (const json of [metadata, `{"a":${metadata}}`]) {
    const body = parseStrictJson(Buffer.from(`{"type":"bug","metadata":${json}}`), "metadata");
    expect(body).toMatchObject({ type: "bug" });
    fitMetadata(fieldsOf(fieldsOf(body).metadata));
    fingerprintOf(body);
  }
  expect(spent()).toBeLessThan(2_000);
});

it("a report that has large metadata very often is refused quickly", () => {
  const metadata = `"metadata":{${Array.from({ length: 11 }, (_, at) => `"${at}":${repeatedTo(16_000, "{}")}`)}}`;
  const body = Buffer.from(`{${Array(24).fill(metadata).join(",")}}`);
  const spent = processorTime();
  expect(() => parseStrictJson(body, "metadata")).toThrow("the same key twice");
  expect(spent()).toBeLessThan(500);
});

it.each(["[]", "{}", "1", '"":{}', "[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]"])(
  "a body that contains too many values is refused quickly: %s",
  (value) => {
    for (const [bytes, free, most] of [
      [4 * MB, "metadata", undefined],
      [32 * MB, undefined, limits.faqListStructure],
    ] as const) {
      const body = Buffer.from(`{"faqs":${repeatedTo(bytes, value)}}`);
      const spent = processorTime();
      expect(() => parseStrictJson(body, free, most)).toThrow("brackets, colons and commas");
      expect(spent()).toBeLessThan(3_000);
    }
  },
);
