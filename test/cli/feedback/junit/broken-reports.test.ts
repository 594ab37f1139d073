import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../../support/clients/command-line.ts";
import { place, resolveJunit, sendJunit, startJunitSending } from "../../../support/clients/junit-sending.ts";
import { inputPath } from "../../../support/files/inputs.ts";
import { readPdf } from "../../../support/files/read-pdf.ts";
import { answers, startRecordingServer } from "../../../support/network/recording-server.ts";

const [failed, broken] = [(name: string) => `Test failed: ${name}`, ["junit.xml cannot be read"]];

/** The subjects of the reports that each input causes, and whether a successful run with it resolves anything. */
const inputs: Readonly<Record<string, readonly [subjects: readonly string[], resolves: boolean]>> = {
  "junit-banner-before-xml.xml": [[failed("t (g)")], false],
  "junit-counters-contradict.xml": [["Test suite failed: g"], false],
  "junit-crashed-run.xml": [[failed("a (A)"), failed("b (A)")], false],
  "junit-cut-before-tests.xml": [broken, false],
  "junit-cut-in-tag.xml": [[failed("a (A)"), failed("b (A)")], false],
  "junit-cut-then-second.xml": [[failed("a (A)"), failed("b (B)")], false],
  "junit-failed-element.xml": [[failed("st (g)")], false],
  "junit-gateway-page.xml": [broken, false],
  "junit-log-around.xml": [[failed("t (g)")], false],
  "junit-only-log.xml": [broken, false],
  "junit-raw-ampersand.xml": [[failed("amp (c)")], false],
  "junit-result-property.xml": [[failed("st (g)")], false],
  "junit-same-name-a.xml": [[failed("adds(int) (P)")], false],
  "junit-same-name-b.xml": [[failed("adds(int) (P)")], false],
  "junit-status-failed.xml": [[failed("st (g)")], false],
  "junit-success-false.xml": [[failed("st (g)")], false],
  "junit-two-documents.xml": [[failed("a (A)"), failed("b (B)")], false],
  "junit-unknown-word.xml": [[], false],
  "junit-utf16-cut.xml": [broken, false],
};

const files = readdirSync(inputPath(".")).filter((name) => /^junit-.*\.xml$/.test(name));

it("each input of this test has the right kind of value", () => {
  expect(files).toEqual(Object.keys(inputs));
});

describe.each(Object.entries(inputs))("the broken report %s", (name, [subjects, resolves]) => {
  const report = readFileSync(inputPath(name));

  it("is sent as a report for each failure, or as one report that says that the file cannot be read", async () => {
    const { line } = await startJunitSending("");
    await place(line, "junit.xml", report);
    const { exit, json } = await line.run([...sendJunit, "--best-effort", "--dry-run", "--json"]);
    const sent = Object(json()).requests?.map(({ body }: { body: { subject: string } }) => body.subject);
    expect([exit, sent ?? []]).toEqual([0, subjects]);
  });

  it("resolves the tests that passed, and nothing else", async () => {
    const nothing = answers(200, { resolved: [], stillFailing: [], more: false });
    const server = await startRecordingServer(nothing);
    const line = await createCommandLine({
      INNKEEP_BASE_URL: server.baseUrl,
      INNKEEP_TOKEN: "sdm_test",
      INNKEEP_APP: "0197b3a0-0000-7000-8000-00000000000a",
    });
    await place(line, "junit.xml", report);
    const run = ["--run-status", "success", "--dedupe-run", "2", "--dedupe-scope", "s", "--best-effort"];
    expect(await line.run([...resolveJunit, ...run])).toMatchObject({ exit: 0 });
    expect(server.received.length > 0).toBe(resolves);
  });
});

describe("a JUnit report that cannot be read", () => {
  it("is sent with its text and as a file, and the exit code is 0 only with --best-effort", async () => {
    const { line, bodies } = await startJunitSending("");
    const text = "npm error code ENOSPC\nno report was written\n";
    await place(line, "junit.xml", text);
    expect(await line.run(sendJunit)).toMatchObject({ exit: 2 });
    expect(bodies()).toEqual([]);
    expect(await line.run([...sendJunit, "--best-effort"])).toMatchObject({ exit: 0 });
    const [body, ...others] = bodies();
    expect(others).toEqual([]);
    expect(body.message).toContain("junit.xml cannot be read from line 1 on: it is not well-formed XML");
    expect(body.message).toContain(text.trim());
    const [attachment] = body.attachments;
    const { files: inside } = await readPdf(Buffer.from(attachment.data.replace(/^.*?,/, ""), "base64"));
    expect(inside).toEqual([{ name: "junit.xml", bytes: Buffer.from(text) }]);
  });

  it("causes a different message if it is empty than a pattern without files", async () => {
    const { line, bodies } = await startJunitSending("");
    await line.run([...sendJunit, "none/*.xml", "--best-effort"]);
    expect(bodies()).toMatchObject([
      { subject: "junit.xml cannot be read", message: expect.stringContaining("junit.xml is empty.") },
    ]);
  });

  it("is added to the thread of the same report in the next run", async () => {
    const { line, bodies } = await startJunitSending("");
    for (const text of ["Killed 4711 at 10:00", "Killed 4712 at 11:30"]) {
      await place(line, "junit.xml", text);
      await line.run([...sendJunit, "--best-effort"]);
    }
    const [first, second] = bodies();
    expect(first.dedupeKey).toMatch(/^junit:/);
    expect(second.dedupeKey).toBe(first.dedupeKey);
  });

  it("is sent with its text if it comes from standard input", async () => {
    const { line, bodies } = await startJunitSending("");
    await line.run(["feedback", "send", "--junit", "-", "--best-effort"], { stdin: "Segmentation fault" });
    expect(bodies()).toMatchObject([
      { subject: "(standard input) cannot be read", message: expect.stringContaining("Segmentation fault") },
    ]);
  });

  it("is counted in --max-reports", async () => {
    const { line, bodies } = await startJunitSending("x");
    await place(line, "b.xml", "y");
    await line.run([
      "feedback",
      "send",
      "--junit",
      "b.xml",
      "junit.xml",
      "--max-reports",
      "1",
      "--best-effort",
    ]);
    expect(bodies().map(({ subject }) => subject)).toEqual(["b.xml cannot be read", "1 more test failed"]);
    expect(bodies()[1].message).toContain("- junit.xml cannot be read: ");
  });
});

it("a failure in a JUnit report is stored as a terminal shows it", async () => {
  const link = "&#27;]8;;file:///a.ts&#27;\\a.ts:3&#27;]8;;&#27;\\";
  const { line, bodies } = await startJunitSending(
    `<testsuite name="g"><testcase name="t"><failure>10%\r 50%&#13;&#27;[31mno&#27;[39m at ${link}</failure></testcase></testsuite>`,
  );
  await line.run(sendJunit);
  expect(bodies()[0].message).toContain("no at a.ts:3");
  expect(bodies()[0].message).not.toMatch(/8;;|\p{Cc}(?<!\n)|␛/u);
});
