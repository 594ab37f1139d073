import { describe, expect, it } from "vitest";
import { gitHubJob, place, sendJunit, startJunitSending } from "../../../support/clients/junit-sending.ts";
import { junitReport } from "../../../support/files/junit-samples.ts";
import { accepts, answers } from "../../../support/network/recording-server.ts";

const adds = { name: "adds", failure: "expected 3 to be 4" };
const refusal = answers(400, { error: "No.", code: "bad_request" });
const busy = answers(503, { error: "Busy.", code: "busy" });
const down = answers(500, { error: "Down.", code: "internal" });

describe("the command feedback send --junit with faulty input", () => {
  it.each([
    ["a glob without a file", "x/*.xml", "", "--junit x/*.xml matches no file"],
    [
      "a broken report",
      "junit.xml",
      "<testsuite>\n<testcase",
      "--junit junit.xml cannot be read from line 2 on: it is not well-formed XML",
    ],
    ["an empty report", "junit.xml", "", "--junit junit.xml is empty"],
    [
      "another file",
      "junit.xml",
      "<html/>",
      "--junit junit.xml is not a JUnit report: its root element is <html>",
    ],
    ["a glob of other files", "*.xml", "<html/>", "--junit *.xml matches no JUnit report"],
  ])("sends nothing and names the fault for %s", async (_, glob, report, why) => {
    const { line, received } = await startJunitSending(report);
    const { exit, stderr } = await line.run(["feedback", "send", "--junit", glob]);
    expect([exit, received.length]).toEqual([2, 0]);
    expect(stderr).toContain(why);
    const kind = await line.run(["feedback", "send", "--junit", glob, "--best-effort"]);
    expect(kind).toMatchObject({ exit: 0 });
    expect(kind.stderr).toContain(`Warning: ${why}`);
  });

  it("sends everything that it can read with --best-effort", async () => {
    const { line, bodies } = await startJunitSending(
      `${junitReport(adds).replace("</testsuites>", "")}\n<testsuite><testca`,
    );
    await place(line, "b.xml", junitReport({ name: "b", failure: "no" }));
    const { exit, stderr } = await line.run([
      "feedback",
      "send",
      "--junit",
      "*.xml",
      "none/*.xml",
      "--best-effort",
    ]);
    expect([exit, bodies().length]).toEqual([0, 2]);
    expect(stderr).toContain("Warning: --junit none/*.xml matches no file.");
    expect(stderr).toContain("Warning: --junit junit.xml cannot be read from line");
  });

  it("refuses flags for values that each report has separately", async () => {
    const { line, received } = await startJunitSending(junitReport(adds));
    const flags = ["--message", "x", "--subject", "x", "--dedupe-key", "x", "--image", "x.png"];
    const { exit, stderr } = await line.run([...sendJunit, ...flags]);
    expect([exit, received.length]).toEqual([2, 0]);
    for (const flag of ["--message", "--subject", "--dedupe-key", "--image"])
      expect(stderr).toContain(`${flag} cannot be used with --junit`);
  });

  it("refuses a value of --max-reports that is not a number", async () => {
    const { line } = await startJunitSending(junitReport(adds));
    expect(await line.run([...sendJunit, "--max-reports", "many"])).toMatchObject({ exit: 2 });
    expect(await line.run([...sendJunit, "--max-reports", "-1"])).toMatchObject({ exit: 2 });
  });
});

describe("failure reports that cannot be sent", () => {
  const two = junitReport(adds, { name: "b", failure: "no" });

  it("are kept, and the command resend sends them with the same keys", async () => {
    const { line, kept, keys } = await startJunitSending(two, busy, accepts);
    const ran = await line.run([...sendJunit, "--max-wait", "0s"]);
    expect(ran.exit).toBe(75);
    expect(ran.stdout).toMatch(
      /^no\t\tTest failed: adds \(cart\)\tBusy\..*\nno\t\tTest failed: b \(cart\)\tinnkeep did not try to send it/,
    );
    expect(ran.stderr).toContain("2 reports were not sent.");
    expect(await kept()).toHaveLength(2);
    expect(await line.run(["feedback", "resend", "--all"])).toMatchObject({ exit: 0 });
    expect(await kept()).toEqual([]);
    expect(keys().slice(1)).toContain(keys()[0]);
  });

  it("are all tried, even after one was refused", async () => {
    const { line, kept } = await startJunitSending(two, refusal, accepts);
    const ran = await line.run([...sendJunit, "--json"]);
    expect(ran).toMatchObject({ exit: 2, stderr: "" });
    expect(ran.json()).toMatchObject({ reports: [{ sent: false, why: "No." }, { sent: true }], left: 1 });
    expect(await kept()).toHaveLength(1);
  });

  it("do not make the build fail with --best-effort, and are shown in the log", async () => {
    const { line } = await startJunitSending(two, down);
    const { exit, stderr } = await line.run([...sendJunit, "--best-effort", "--max-wait", "0s"], {
      env: gitHubJob({ MY_TOKEN: "expected 3" }),
    });
    expect(exit).toBe(0);
    expect(stderr).toContain("::warning title=Feedback was not sent::");
    expect(stderr).toMatch(
      /::group::Feedback that was not sent.*\[redacted\] to be 4.*::group::Feedback that was not sent.*b \(cart\) failed/s,
    );
  });
});
