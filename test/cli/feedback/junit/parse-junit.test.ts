import { describe, expect, it } from "vitest";
import { parseJunit } from "../../../../src/cli/feedback/junit/parse.lazy.ts";
import { junitSamples } from "../../../support/files/junit-samples.ts";

const parse = (xml: string | Uint8Array, mostTests = 1_000) =>
  parseJunit(Buffer.from(xml), { report: "a.xml", mostTests, budget: { left: 1_000_000 } });
const suite = (inside: string) => `<testsuite name="s">${inside}</testsuite>`;
const failed = (inside: string) => suite(`<testcase name="t">${inside}</testcase>`);

describe.each(junitSamples.map((sample) => [sample.tool, sample] as const))(
  "a JUnit report of %s",
  (_, sample) => {
    it("contains the expected tests", () => {
      const { tests, fault, foreignRoot } = parse(sample.xml);
      expect([fault, foreignRoot]).toEqual([undefined, undefined]);
      const found = tests.map(({ suite, className, name, outcome }) => [suite, className, name, outcome]);
      expect(found).toEqual(sample.tests);
    });

    it("contains the reason why a test failed", () => {
      const [failure] = parse(sample.xml).tests.find(({ outcome }) => outcome === "failed")?.failures ?? [];
      expect(`${failure?.message}\n${failure?.text}`).toContain(sample.says);
    });
  },
);

describe("a test of a JUnit report", () => {
  it("has its file and line, its duration and its files", () => {
    const inside =
      '<properties><property name="attachment" value="a.png"/><property name="x" value="[[ATTACHMENT|b.pdf]]"/></properties>' +
      "<system-out>x [[ATTACHMENT|/tmp/c d.png]] y\n[[ATTACHMENT|a.png]]</system-out><system-err>[[ATTACHMENT|e.webm]]</system-err>";
    const { tests } = parse(
      suite(`<testcase name="t" file="a.py" line="12" time="1,234.5">${inside}</testcase>`),
    );
    expect(tests).toMatchObject([
      { file: "a.py", line: 12, seconds: 1_234.5, attachments: ["a.png", "b.pdf", "/tmp/c d.png", "e.webm"] },
    ]);
  });

  it("has the number of its further failures", () => {
    const { tests } = parse(failed("<error/><rerunError/><rerunFailure/>"));
    expect(tests).toMatchObject([{ outcome: "failed", failedReruns: 2, failures: [{}] }]);
  });

  it("counts as failed if only its repetitions are named", () => {
    expect(parse(failed("<rerunFailure message='m'/>")).tests).toMatchObject([{ outcome: "failed" }]);
  });

  it("can be a whole suite", () => {
    const { tests } = parse(suite('<error message="no port"/><testcase name="t"/>'));
    expect(tests).toMatchObject([
      { suite: "s", className: "", name: "", outcome: "failed", failures: [{ message: "no port" }] },
      { name: "t", outcome: "passed" },
    ]);
  });

  it.each(["status='skipped'", "status='notrun'", "result='suppressed'", "disabled='true'"])(
    "counts as skipped with %s",
    (attribute) => {
      expect(parse(suite(`<testcase name="t" ${attribute}/>`)).tests).toMatchObject([{ outcome: "skipped" }]);
    },
  );

  it("can be in an XML namespace", () => {
    const xml =
      '<j:testsuite xmlns:j="urn:x" name="s"><j:testcase name="t"><j:failure/></j:testcase></j:testsuite>';
    expect(parse(xml).tests).toMatchObject([{ suite: "s", name: "t", outcome: "failed" }]);
  });

  it("keeps the beginning and the end of a long failure, and only a little text if there is much text in the report", () => {
    const xml = failed(`<failure>begin${"x".repeat(200_000)}end</failure>`);
    const [kept = ""] = parse(xml).tests.flatMap(({ failures }) => failures.map(({ text }) => text));
    expect([kept.startsWith("begin"), kept.endsWith("end"), kept.length < 61_000]).toEqual([
      true,
      true,
      true,
    ]);
    const budget = { left: 0 };
    const [short = ""] = parseJunit(Buffer.from(xml), { report: "a", mostTests: 9, budget }).tests.flatMap(
      ({ failures }) => failures.map(({ text }) => text),
    );
    expect(short.length).toBeLessThan(4_100);
  });
});

describe("the text of a JUnit report", () => {
  it.each([
    ["raw control characters", "\u001b[31mred\u001b[0m \u0000!"],
    ["references to control characters", "&#27;[31mred&#x1b;[0m &#0;!"],
  ])("can contain %s", (_, text) => {
    const { tests, fault } = parse(failed(`<failure>${text}</failure>`));
    expect(fault).toBeUndefined();
    expect(tests[0]?.failures[0]?.text).toBe("\u241b[31mred\u241b[0m \ufffd!");
  });

  it.each([
    ["UTF-8 with a mark", Buffer.from(`\ufeff${failed("<failure>ä</failure>")}`)],
    ["UTF-16 with a mark", Buffer.from(`\ufeff${failed("<failure>ä</failure>")}`, "utf16le")],
    [
      "Latin 1, as declared",
      Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${failed("<failure>ä</failure>")}`, "latin1"),
    ],
    [
      "an unknown encoding",
      Buffer.from(`<?xml version="1.0" encoding="x"?>${failed("<failure>ä</failure>")}`),
    ],
  ])("can be in %s", (_, bytes) => {
    expect(parse(bytes).tests[0]?.failures[0]?.text).toBe("ä");
  });
});

describe("a JUnit report that cannot be read", () => {
  it.each([
    ["is cut off", '<testsuite>\n<testcase name="a"/>\n<testcase name="b"><failure>x', 3, "unclosed tag"],
    ["closes another element", '<testsuite>\n<testcase name="a"></testsuite>', 2, "well-formed"],
    ["uses an unknown entity", "<testsuite>\n\n<testcase name='&x;'/></testsuite>", 3, "undefined entity"],
    [
      "declares an entity that doubles itself",
      '<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>\n<testsuite name="&b;"/>',
      2,
      "undefined entity",
    ],
    [
      "reads a file of the machine",
      '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<testsuite><testcase name="&a;"/></testsuite>',
      2,
      "undefined entity",
    ],
    ["is nested deeper than any", "<testsuite>\n".repeat(60), 51, "deeper than 50"],
    ["is no XML", "OK (3 tests)", 1, "well-formed"],
  ])("causes an error with the line because it %s", (_, xml, line, why) => {
    expect(parse(xml).fault).toMatchObject({ line, message: expect.stringContaining(why) });
  });

  it("contains the tests before the fault, and the test at which the report ends", () => {
    const { tests } = parse(`<testsuite><testcase name="a"/>\n<testcase name="b">`);
    expect(tests).toMatchObject([
      { name: "a", outcome: "passed" },
      { name: "b", outcome: "failed", failures: [{ message: expect.stringContaining("ends in this test") }] },
    ]);
  });

  it("can have too many tests", () => {
    expect(parse(suite("<testcase/>".repeat(5)), 3).fault?.message).toBe("there are more than 3 tests");
  });

  it("can be a file of another kind", () => {
    expect(parse("<coverage><testcase/></coverage>")).toEqual({ tests: [], foreignRoot: "coverage" });
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
    "can have an element or entity with the name %s",
    (name) => {
      expect(parse(suite(`<${name}/><testcase name="t" ${name}="x"/>`))).toMatchObject({
        tests: [{ name: "t" }],
      });
      expect(parse(suite(`<testcase name="&${name};"/>`)).fault?.message).toContain("undefined entity");
    },
  );
});
