import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../../support/clients/command-line.ts";
import { place, resolveJunit, startJunitSending } from "../../../support/clients/junit-sending.ts";
import { inputText } from "../../../support/files/inputs.ts";
import { answers, startRecordingServer } from "../../../support/network/recording-server.ts";

const nothing = { resolved: [], stillFailing: [], more: false };

async function resolvedWith(report: string) {
  const server = await startRecordingServer(answers(200, nothing));
  const line = await createCommandLine({
    INNKEEP_BASE_URL: server.baseUrl,
    INNKEEP_TOKEN: "sdm_test",
    INNKEEP_APP: "0197b3a0-0000-7000-8000-00000000000a",
  });
  await place(line, "junit.xml", report);
  const run = ["--run-status", "success", "--dedupe-run", "2", "--dedupe-scope", "s"];
  const ran = await line.run([...resolveJunit, ...run]);
  return { ...ran, bodies: server.received.map(({ body }) => JSON.parse(body.toString())) };
}

async function sentWith(report: string) {
  const { line } = await startJunitSending(report);
  const ran = await line.run(["feedback", "send", "--junit", "junit.xml", "--dry-run", "--json"]);
  return JSON.stringify(ran.json());
}

const suite = (inside: string, attributes = "") => `<testsuite name="g" ${attributes}>${inside}</testsuite>`;
const test = (attributes: string) => suite(`<testcase name="st" classname="g" ${attributes}/>`);

describe("a test that a JUnit report marks as failed", () => {
  it.each([
    ["junit-status-failed.xml"],
    ["junit-success-false.xml"],
    ["junit-result-property.xml"],
    ["junit-failed-element.xml"],
  ])("resolves nothing and is sent if it is marked as in %s", async (input) => {
    const report = await inputText(input);
    const { bodies, stderr } = await resolvedWith(report);
    expect([bodies, stderr]).toEqual([[], expect.stringContaining("no thread is resolved")]);
    expect(await sentWith(report)).toContain("Test failed: st (g)");
  });

  it.each([
    "status='FAIL'",
    "result='Error'",
    "outcome='timed-out'",
    "Status='not ok'",
    "passed='false'",
    "failed='true'",
    "status='exception'",
    "result='NG'",
  ])("resolves nothing and is sent if it is marked by %s", async (attribute) => {
    expect((await resolvedWith(test(attribute))).bodies).toEqual([]);
    expect(await sentWith(test(attribute))).toContain("Test failed: st (g)");
  });

  it("resolves nothing if it is marked by an unknown word", async () => {
    const report = await inputText("junit-unknown-word.xml");
    expect((await resolvedWith(report)).bodies).toEqual([]);
  });

  it.each([
    "status='run' result='completed'",
    "result='Passed'",
    "success='True' executed='True'",
    "status=''",
  ])("is not assumed if the attributes are %s", async (attribute) => {
    expect((await resolvedWith(test(attribute))).bodies).toHaveLength(1);
  });
});

describe("a suite in a JUnit report with contradictions", () => {
  const green = '<testcase name="a" classname="g"/>';
  const red = '<testcase name="b" classname="g"><failure/></testcase>';

  it("is counted with failures that it does not name, resolves nothing, and causes a warning", async () => {
    const { bodies, stderr } = await resolvedWith(await inputText("junit-counters-contradict.xml"));
    expect(bodies).toEqual([]);
    expect(stderr).toContain(
      "the suite “g” counts one failure, but none is in it. None of its tests counts as passed.",
    );
  });

  it.each([
    ["no failures, but one is in it", suite(green + red, 'failures="0" errors="0"')],
    ["no failures, but 2 are in it", suite(red + red.replace("b", "c"), 'failures="0" errors="0"')],
    ["one failure, but 2 are in it", suite(red + red.replace("b", "c"), 'failures="1" errors="0"')],
    ["2 failures, but none is in it", suite(green, 'errors="2"')],
    ["3 failures, but one is in it", suite(green + red, 'failures="3"')],
    ["3 failures, but 2 are in it", suite(red + red.replace("b", "c"), 'failures="3"')],
  ])("causes a warning if it counts %s", async (words, report) => {
    const { stderr } = await resolvedWith(report);
    expect(stderr).toContain(`the suite “g” counts ${words}. None of its tests counts as passed.`);
  });

  it.each([
    ["more errors than it has", suite(green, 'failures="0" errors="2"')],
    ["fewer failures than it has", suite(green + red, 'failures="0" errors="0"')],
    ["itself as a failure", suite(green, 'result="Failed"')],
    ["more failures in all suites", `<testsuites failures="3">${suite(green, 'failures="0"')}</testsuites>`],
  ])("resolves nothing if it counts %s", async (_, report) => {
    expect((await resolvedWith(report)).bodies).toEqual([]);
  });

  it.each([
    ["a suite", suite(green, 'errors="1"'), "Test suite failed: g"],
    [
      "a suite in it",
      `<testsuites failures="1">${suite(green, 'failures="1"')}</testsuites>`,
      "Test suite failed: g",
    ],
    [
      "the whole report",
      `<testsuites failures="2">${suite(green)}</testsuites>`,
      "Test suite failed: a suite without a name",
    ],
  ])("is sent as one report if %s counts failures and names none", async (_, report, subject) => {
    expect((await sentWith(report)).match(/Test suite failed: [^"]*/g)).toEqual([subject]);
  });

  it.each([
    [
      "each failed assertion",
      suite(`${green}<testcase name="b"><failure/><failure/></testcase>`, 'failures="2" errors="0"'),
    ],
    [
      "each failing test",
      suite(`${green}<testcase name="b"><failure/><error/></testcase>`, 'failures="1" errors="0"'),
    ],
    ["failing suites", suite(`${green}${suite(red + red.replace("b", "c"))}`, 'failures="1" errors="0"')],
    [
      "what its suites count",
      `<testsuites failures="1" errors="0">${suite(green + red, 'failures="1"')}</testsuites>`,
    ],
  ])("is not assumed if it counts %s", async (_, report) => {
    const { bodies, stderr } = await resolvedWith(report);
    expect([bodies.length, stderr]).toEqual([1, expect.not.stringContaining("Warning")]);
  });

  it("does not affect the other suites of its report", async () => {
    const bad = suite(green, 'failures="1"').replaceAll('"g"', '"bad"');
    const { bodies } = await resolvedWith(`<testsuites failures="1">${bad}${suite(green)}</testsuites>`);
    expect(bodies).toMatchObject([{ passed: { length: 8 } }]);
  });
});
