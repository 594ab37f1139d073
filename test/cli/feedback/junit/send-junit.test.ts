import { describe, expect, it } from "vitest";
import { startFeedbackSending } from "../../../support/clients/feedback-sending.ts";
import { place, sendJunit, startJunitSending } from "../../../support/clients/junit-sending.ts";
import { junitReport, junitSamples } from "../../../support/files/junit-samples.ts";
import { pdf, png } from "../../../support/files/sample-files.ts";
import { accepts, answers } from "../../../support/network/recording-server.ts";

const adds = { name: "adds", failure: "expected 3 to be 4" };
const passes = { name: "passes" };

describe("the command feedback send --junit", () => {
  it("sends one report for each failing test, and names the file and the line", async () => {
    const { line, bodies } = await startJunitSending(
      junitReport(adds, passes, { name: "removes", failure: "no" }),
    );
    const ran = await line.run(sendJunit);
    expect(ran).toMatchObject({ exit: 0 });
    expect(ran.stderr).toContain("2 of 2 reports sent.\n");
    expect(bodies()).toMatchObject([
      {
        type: "bug",
        source: "junit",
        subject: "Test failed: adds (cart)",
        message: "adds (cart) failed.\n\nexpected 3 to be 4\n\nReport: junit.xml",
        metadata: { suite: "cart", class: "cart", test: "adds", report: "junit.xml" },
        dedupeKey: expect.stringMatching(/^junit:[0-9a-f]{32}:[0-9a-f]{32}$/),
      },
      { subject: "Test failed: removes (cart)" },
    ]);
    expect(bodies()[0]).not.toHaveProperty("dedupeScope");
  });

  it("keeps the beginning and the end of a long failure within 10,000 characters", async () => {
    const { line, bodies } = await startJunitSending(
      junitReport({ name: "t", failure: `begin ${"🍺x\n".repeat(9_000)} end` }),
    );
    const { stderr } = await line.run(sendJunit);
    const { message } = bodies()[0];
    expect([...message].length).toBeLessThanOrEqual(10_000);
    expect(message).toMatch(
      /^t \(cart\) failed\.\n\nbegin .* characters were cut here …\].* end\n\nReport: junit\.xml$/s,
    );
    expect(stderr).not.toContain("cut from its middle");
  });

  it("says that it sends nothing if no test failed", async () => {
    const { line, received } = await startJunitSending(
      junitReport(passes, { name: "later", inside: "<skipped/>" }),
    );
    expect(await line.run(sendJunit)).toMatchObject({
      exit: 0,
      stdout: "No test failed (1 passed, 1 skipped). Nothing was sent.\n",
    });
    expect((await line.run([...sendJunit, "--json"])).json()).toEqual({
      reports: [],
      left: 0,
      tests: { passed: 1, failed: 0, flaky: 0, skipped: 1 },
    });
    expect(received).toEqual([]);
  });

  it("says that the report contains no test", async () => {
    const { line } = await startJunitSending("<testsuites/>");
    const { exit, stdout } = await line.run(sendJunit);
    expect([exit, stdout]).toEqual([0, "The reports contain no test. Nothing was sent.\n"]);
  });

  it("sends failures of flaky tests with separate keys", async () => {
    const flaky = { name: "sometimes", inside: "<flakyFailure message='timed out'/>" };
    const { line, bodies } = await startJunitSending(junitReport(flaky, adds));
    await line.run(sendJunit);
    expect(bodies()).toMatchObject([
      { subject: "Test failed: adds (cart)", dedupeKey: expect.stringMatching(/^junit:/) },
      {
        subject: "Flaky test: sometimes (cart)",
        message: expect.stringContaining("failed, and passed when it was repeated.\n\ntimed out"),
        dedupeKey: expect.stringMatching(/^junit-flaky:/),
      },
    ]);
  });

  it("reports a test once if the test occurs in several files", async () => {
    const { line, bodies } = await startJunitSending(junitReport(adds));
    await place(line, "b/junit.xml", junitReport({ name: "adds" }));
    await line.run(["feedback", "send", "--junit", "**/junit.xml"]);
    expect(bodies()).toHaveLength(1);
  });

  it("sends failures above the maximum in one summary", async () => {
    const tests = Array.from({ length: 25 }, (_, at) => ({ name: `test ${at}`, failure: `failure ${at}` }));
    const { line, bodies } = await startJunitSending(junitReport(...tests));
    await line.run(sendJunit);
    expect(bodies()).toHaveLength(21);
    expect(bodies()[20]).toMatchObject({
      subject: "5 more tests failed",
      message: expect.stringMatching(
        /^5 more tests failed\. 20 failures have separate reports.*\n\n- test 20 \(cart\): failure 20\n/,
      ),
      metadata: { failing: 25, suites: ["cart"] },
      dedupeKey: expect.stringMatching(/^junit-more:[0-9a-f]{32}$/),
    });
    await line.run([...sendJunit, "--max-reports", "0"]);
    expect(bodies()[21]).toMatchObject({
      subject: "25 more tests failed",
      dedupeKey: bodies()[20].dedupeKey,
    });
    expect(bodies()).toHaveLength(22);
  });

  it.each(junitSamples.map(({ tool, xml, says }) => [tool, xml, says]))(
    "reads the report that %s writes",
    async (_, xml, says) => {
      const { line, bodies } = await startJunitSending(xml ?? "");
      expect(await line.run(sendJunit)).toMatchObject({ exit: 0 });
      expect(bodies()[0].message.replace(/\r/g, "")).toContain(says);
    },
  );

  it("reads standard input, several globs and a folder", async () => {
    const { line, bodies } = await startFeedbackSending();
    await place(line, "a/x.xml", junitReport(adds));
    await place(line, "b/deep/y.xml", junitReport({ name: "two", failure: "no" }));
    await place(line, "b/deep/pom.xml", "<project/>");
    const stdin = junitReport({ name: "three", failure: "no" });
    const ran = await line.run(["feedback", "send", "--junit", "a/*.xml", "b", "--junit", "-"], { stdin });
    expect(bodies().map(({ metadata }) => metadata.test)).toEqual(["adds", "two", "three"]);
    expect(ran.stderr).toContain(
      "Skipped b/deep/pom.xml, which is not a JUnit report: its root element is <project>.",
    );
  });

  it("adds the values of the flags to each report", async () => {
    const { line, bodies } = await startJunitSending(junitReport({ ...adds, name: "@smoke adds" }));
    const flags = [
      "--type",
      "question",
      "--source",
      "nightly",
      "--email",
      "a@example.org",
      "--metadata",
      "test=mine",
    ];
    await line.run([...sendJunit, ...flags, "--idempotency-key", "mine"]);
    expect(bodies()[0]).toMatchObject({
      ...{
        type: "question",
        source: "nightly",
        email: "a@example.org",
        metadata: { test: "mine", suite: "cart" },
      },
      message: expect.stringMatching(/^@smoke adds/),
    });
  });

  it("sends each report with a separate Idempotency-Key", async () => {
    const { line, keys } = await startJunitSending(junitReport(adds, { name: "b", failure: "no" }));
    await line.run([...sendJunit, "--idempotency-key", "mine"]);
    await line.run([...sendJunit, "--idempotency-key", "mine"]);
    const [one, other, ...again] = keys();
    expect(one).toMatch(/^mine-[0-9a-f]{32}$/);
    expect(one).not.toBe(other);
    expect(again).toEqual([one, other]);
  });

  it("prints one document about all reports", async () => {
    const id = "0197b3a0-0000-7000-8000-000000000001";
    const answer = answers(201, {
      success: true,
      id,
      consoleUrl: "https://inn.example.org/1",
      earlier: { id, consoleUrl: "https://inn.example.org/0" },
      deduplicated: true,
    });
    const { line } = await startJunitSending(
      junitReport(adds, { name: "b", failure: "no" }),
      accepts,
      answer,
    );
    const ran = await line.run([...sendJunit, "--json"]);
    expect(ran.stderr).toBe("");
    expect(ran.json()).toMatchObject({
      reports: [
        { subject: "Test failed: adds (cart)", sent: true, id: null, deduplicated: false, why: null },
        { sent: true, id, consoleUrl: "https://inn.example.org/1", deduplicated: true, earlier: { id } },
      ],
      left: 0,
      tests: { passed: 0, failed: 2, flaky: 0, skipped: 0 },
    });
    expect((await line.run(sendJunit)).stderr).toContain(
      "This failure occurred again. It was resolved before: https://inn.example.org/0",
    );
  });

  it("shows every request with --dry-run", async () => {
    const { line, received } = await startJunitSending(junitReport(adds, { name: "b", failure: "no" }));
    const { stdout } = await line.run([...sendJunit, "--dry-run"]);
    expect(stdout.match(/^POST /gm)).toHaveLength(2);
    const ran = await line.run([...sendJunit, "--dry-run", "--json"]);
    expect(ran.json()).toMatchObject({
      dryRun: true,
      requests: [{ body: { subject: "Test failed: adds (cart)" } }, {}],
    });
    expect(received).toEqual([]);
  });
});

describe("the files of a failing test", () => {
  it("are sent if their type is allowed, and are otherwise named", async () => {
    const paths = ["shots/a.png", "report.pdf", "trace.zip", "no.png", "/etc/hostname", "log.txt"];
    const inside = `<system-out>${paths.map((path) => `[[ATTACHMENT|${path}]]\n`).join("")}</system-out>`;
    const { line, bodies } = await startJunitSending(junitReport({ ...adds, inside }));
    await place(line, "shots/a.png", png().bytes);
    await place(line, "report.pdf", pdf().bytes);
    await place(line, "trace.zip", "PK\u0003\u0004");
    await place(line, "log.txt", "a log");
    await line.run(sendJunit);
    const [body] = bodies();
    expect(body.images).toHaveLength(1);
    expect(body.attachments.map(({ name }: { name: string }) => name)).toEqual(["report.pdf", "log.txt.pdf"]);
    expect(body.message).toContain(
      "Files that were not sent: trace.zip (no file of this kind can be sent), no.png (there is no such file), ",
    );
    expect(body.message).toContain("/etc/hostname (it is outside the checkout)");
  });

  it("can be named relative to the folder of the report", async () => {
    const { line, bodies } = await startFeedbackSending();
    await place(line, "out/a.png", png().bytes);
    await place(
      line,
      "out/junit.xml",
      junitReport({ ...adds, inside: "<system-out>[[ATTACHMENT|a.png]]</system-out>" }),
    );
    await line.run(["feedback", "send", "--junit", "out/*.xml"]);
    expect(bodies()[0].images).toHaveLength(1);
  });

  it("are sent up to the maximum number", async () => {
    const inside = `<system-out>${[1, 2, 3, 4].map((at) => `[[ATTACHMENT|${at}.png]]`).join("")}</system-out>`;
    const { line, bodies } = await startJunitSending(junitReport({ ...adds, inside }));
    for (const at of [1, 2, 3, 4]) await place(line, `${at}.png`, png().bytes);
    await line.run(sendJunit);
    expect(bodies()[0].images).toHaveLength(3);
    expect(bodies()[0].message).toContain("Files that were not sent: 4.png (too many files)");
  });
});
