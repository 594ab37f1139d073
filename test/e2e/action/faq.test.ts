import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runStep, type Step } from "../../support/programs/actions-runner.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { appForAction } from "../../support/worlds/app-for-action.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const fileOf = (question: string, answer: string) => `---\nquestion: ${question}\n---\n${answer}\n`;
const files = {
  "faq/sync.md": fileOf("How do I sync?", "Tap *Sync*."),
  "faq/pay.md": fileOf("How do I pay?", "By card."),
};

/** A new app and a way to run a FAQ command for it. */
async function newFaq() {
  const { inputs, faqs } = await appForAction(service);
  const { token: _, ...given } = inputs;
  const run = (command: string, more: Readonly<Record<string, string>> = {}, step: Partial<Step> = {}) =>
    runStep({ files, ...step, with: { ...given, command, ...more } });
  return { run, faqs };
}

describe("the step `faq diff` of the action", () => {
  it("prints the plan as Markdown for a comment and on the summary page", async () => {
    const { run, faqs } = await newFaq();
    const ended = await run("faq diff");
    expect(ended).toMatchObject({ code: 0, annotations: [] });
    const { plan = "", ...others } = ended.outputs;
    expect(others).toEqual({});
    expect(plan).toMatch(
      /^### innkeep faq diff\n\n```text\ncreate [\s\S]*sync\.md[\s\S]*\n2 to create, 0 the same\.\n```$/,
    );
    expect(ended.summary).toContain(plan);
    expect(await faqs()).toEqual([]);
  });

  it("fails with exit code 3 and the same plan if anything differs and the input exit-code asks for this", async () => {
    const { run } = await newFaq();
    const ended = await run("faq diff", { "exit-code": "true" });
    expect(ended.code).toBe(3);
    expect(ended.outputs.plan).toContain("2 to create");
    expect(ended.annotations).toEqual([
      {
        level: "error",
        title: "innkeep faq diff",
        message: expect.stringMatching(/differences.*\(exit code 3\)$/),
      },
    ]);
  });

  it("shows every character of a text unchanged, and shortens a plan that is too long for a comment", async () => {
    const { run } = await newFaq();
    const evil = "````\n<img src=x>\n::set-env name=A::b\nplan<<EOF";
    await run("faq push");
    const changed = {
      "faq/sync.md": fileOf("How do I sync?", evil),
      "faq/pay.md": files["faq/pay.md"],
    };
    const { outputs, executed } = await run("faq diff", {}, { files: changed });
    expect(executed).toEqual([]);
    expect(Object.keys(outputs)).toEqual(["plan"]);
    expect(outputs.plan).toMatch(/^### innkeep faq diff\n\n`{5}text\n[\s\S]*\n`{5}$/);
    const many = Object.fromEntries(
      Array.from({ length: 90 }, (_, at) => [
        `faq/${at}.md`,
        fileOf(`Q${at}?`.padEnd(480, "x"), "A".repeat(500)),
      ]),
    );
    await run("faq push", {}, { files: many });
    const other = Object.fromEntries(
      Object.entries(many).map(([name, text]) => [name, text.replaceAll("A", "B")]),
    );
    const long = await run("faq diff", {}, { files: other });
    expect(long.outputs.plan?.length).toBeLessThanOrEqual(65_536);
    expect(long.outputs.plan).toMatch(/\n\[…\]\n```$/);
  });
});

describe("the step `faq push` of the action", () => {
  it("pushes the files of a folder or one file, and says what it changed", async () => {
    const { run, faqs } = await newFaq();
    const first = await run("faq push");
    expect(first).toMatchObject({ code: 0 });
    expect(first.outputs.plan).toContain("Pushed 2 of 2.");
    expect((await faqs()).map(({ question }) => question).sort()).toEqual([
      "How do I pay?",
      "How do I sync?",
    ]);

    const list = { "docs/faq.yaml": "- question: How do I sync?\n  answer: Tap twice.\n" };
    const second = await run("faq push", { path: "docs/faq.yaml" }, { files: list });
    expect(second).toMatchObject({ code: 0 });
    expect(await faqs()).toContainEqual(expect.objectContaining({ answer: "Tap twice." }));
  });

  it("fails with an annotation if the files have faults", async () => {
    const { run, faqs } = await newFaq();
    const faulty = { "faq/sync.md": "---\nquestion: How?\n---\n" };
    const ended = await run("faq push", {}, { files: faulty });
    expect(ended).toMatchObject({ code: 2, outputs: {} });
    expect(ended.annotations).toMatchObject([{ level: "error", title: "innkeep faq push" }]);
    expect(ended.log).toContain("faq/sync.md");
    expect(await faqs()).toEqual([]);
  });

  it("accepts a chosen side for each of several entries, with other inputs", async () => {
    const { run } = await newFaq();
    const dry = await run("faq push", {
      path: "faq",
      take: "mine 01a1fda4 01b2c3d4\ntheirs 01c4d5e6",
      "dry-run": "true",
    });
    expect(dry.log).not.toContain("is not an input");
    expect(dry.log).toContain("01a1fda4");
  });
});
