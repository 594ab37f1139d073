import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { png } from "../../support/files/sample-files.ts";
import { answers, startRecordingServer } from "../../support/network/recording-server.ts";
import { runStep, type Step } from "../../support/programs/actions-runner.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { appForAction } from "../../support/worlds/app-for-action.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A step that reports a bug to a server that does not answer, or that sends prepared answers. */
const report = (more: Partial<Step> = {}): Step => ({
  ...more,
  with: {
    command: "feedback send",
    type: "bug",
    message: "It broke.",
    "base-url": "http://127.0.0.1:9",
    "api-key": "sdk_planted_secret",
    "max-wait": "0s",
    ...more.with,
  },
});

describe("the step `feedback send` of the action", () => {
  it("reports a failure with its files, and names the thread in its outputs and on the summary page", async () => {
    const { inputs, thread } = await appForAction(service);
    const ended = await runStep({
      with: {
        ...inputs,
        command: "feedback send",
        type: "bug",
        subject: "Nightly tests failed",
        message: "@logs/test output.txt",
        metadata: "suite=unit\nretries:=2",
        image: "shot.png",
        attach: "logs/test output.txt",
        "dedupe-key": "nightly",
      },
      files: { "logs/test output.txt": "-2 tests passed\n1 failed", "shot.png": png().bytes },
    });
    expect(ended).toMatchObject({ code: 0, executed: [] });
    const { "feedback-id": id, "console-url": address, ...others } = ended.outputs;
    expect(others).toEqual({});
    const { feedback } = await thread(id);
    expect(feedback).toMatchObject({
      subject: "Nightly tests failed",
      message: "-2 tests passed\n1 failed",
      metadata: { suite: "unit", retries: 2, ci: "github-actions", job: "unit" },
      attachments: [{ name: "test output.txt.pdf" }],
    });
    expect(feedback.images).toHaveLength(1);
    expect(address).toContain(`/${id}`);
    expect(ended.summary).toContain("Nightly tests failed");
    expect(ended.annotations).toEqual([
      { level: "notice", title: "Feedback sent", message: `Nightly tests failed\n${address}` },
    ]);
  });

  it("masks the keys before everything else, and never shows them", async () => {
    const { inputs } = await appForAction(service);
    const { raw, masks, summary } = await runStep({
      with: { ...inputs, command: "feedback send", type: "bug", message: `The key is ${inputs["api-key"]}` },
      env: { INNKEEP_DEBUG: "1" },
    });
    expect(masks).toEqual([inputs["api-key"], inputs.token]);
    const [first, second, ...rest] = raw;
    expect([first, second]).toEqual(masks.map((mask) => `::add-mask::${mask}`));
    expect(rest.length).toBeGreaterThan(5);
    for (const mask of masks) expect(rest.join("\n") + summary).not.toContain(mask);
  });

  it("masks a key of the environment, and each line of a key with several lines", async () => {
    const env = { INNKEEP_TOKEN: "first%line\nsecond line" };
    const { masks } = await runStep(report({ env }));
    expect(masks).toEqual(["sdk_planted_secret", "first%line", "second line"]);
  });

  it("also reads the server and the key from the environment of the job", async () => {
    const { inputs } = await appForAction(service);
    const env = { INNKEEP_BASE_URL: inputs["base-url"], INNKEEP_API_KEY: inputs["api-key"] };
    const step = { with: { command: "feedback send", type: "bug", message: "It broke." }, env };
    expect(await runStep(step)).toMatchObject({ code: 0, outputs: { "feedback-id": expect.any(String) } });
  });

  it("fails with the exit code of the command and with an annotation", async () => {
    const ended = await runStep(report());
    expect(ended).toMatchObject({ code: 75, outputs: {} });
    expect(ended.annotations).toEqual([
      expect.objectContaining({ level: "error", title: "Feedback was not sent" }),
    ]);
    expect(ended.log).toContain("It broke.");
    expect(ended.summary).toContain("### Feedback was not sent");
  });

  it("does not fail with best-effort, but shows a warning", async () => {
    const ended = await runStep(report({ with: { "best-effort": "true" } }));
    expect(ended.code).toBe(0);
    expect(ended.annotations).toEqual([expect.objectContaining({ level: "warning" })]);
  });

  it("fails without a key", async () => {
    expect(await runStep(report({ with: { "api-key": "" } }))).toMatchObject({ code: 4 });
  });

  it("executes no command of another person's text, and sets no output from it", async () => {
    const evil = "x\n::set-env name=PATH::/evil\n##[add-path]/evil\nfeedback-id=evil\nEOF";
    const hostile = { success: true, id: evil, consoleUrl: evil };
    const { baseUrl } = await startRecordingServer(answers(201, hostile), answers(400, { error: evil }));
    for (const code of [0, 2]) {
      const ended = await runStep(report({ with: { "base-url": baseUrl, message: evil, subject: "a\nb" } }));
      expect(ended.executed).toEqual([]);
      expect([ended.code === 0 ? 0 : 2, ended.pre.executed]).toEqual([code === 0 ? 0 : 2, []]);
      expect(
        Object.keys(ended.outputs).filter((name) => !["feedback-id", "console-url"].includes(name)),
      ).toEqual([]);
    }
  });

  it("passes flags that are on or off", async () => {
    const { inputs, thread } = await appForAction(service);
    const step = { ...inputs, command: " feedback  send ", type: "bug", message: "-It broke." };
    const off = await runStep({ with: { ...step, "ci-metadata": "false", "dry-run": "false" } });
    const { feedback } = await thread(off.outputs["feedback-id"]);
    expect([feedback.message, feedback.metadata]).toEqual(["-It broke.", {}]);
    const dry = await runStep({ with: { ...step, "dry-run": "True", "ci-metadata": "true" } });
    expect(dry).toMatchObject({ code: 0, outputs: {} });
    expect(dry.log).toContain('"ci": "github-actions"');
  });
});

describe("a step of the action with wrong inputs", () => {
  it.each([
    ["no command", { command: "" }, "The input `command` must be one of: feedback send, "],
    [
      "another command",
      { command: "admin user create" },
      "The input `command` must be one of: feedback send, ",
    ],
    ["an input of another command", { draft: "true" }, "draft is not an input of this command"],
    ["a switch that is neither on nor off", { "ci-metadata": "no" }, "ci-metadata must be true or false"],
  ])("runs nothing and shows an annotation on the run, for example for %s", async (_, given, fault) => {
    const ended = await runStep(report({ with: given }));
    expect(ended).toMatchObject({ code: 2, outputs: {}, summary: "" });
    expect(ended.annotations).toEqual([
      { level: "error", title: "Innkeep", message: expect.stringContaining(fault) },
    ]);
  });

  it("names all faults in one message", async () => {
    const { annotations } = await runStep(report({ with: { draft: "true", "dry-run": "x" } }));
    expect(annotations[0]?.message).toMatch(
      /dry-run must .*\ndraft is not an input|draft is not an input.*\ndry-run must/,
    );
  });

  it("shows a warning with best-effort", async () => {
    const ended = await runStep(report({ with: { "best-effort": "true", draft: "true" } }));
    expect(ended).toMatchObject({ code: 0, annotations: [{ level: "warning" }] });
  });
});

describe("the start time of the job", () => {
  it("is stored before the first step", async () => {
    const before = new Date().toISOString();
    const { pre } = await runStep(report());
    expect(pre).toMatchObject({ code: 0, raw: [], outputs: {}, summary: "" });
    const { startedAt = "" } = pre.state;
    expect([before <= startedAt, startedAt <= new Date().toISOString()]).toEqual([true, true]);
  });
});
