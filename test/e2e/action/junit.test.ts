import { afterAll, beforeAll, expect, it } from "vitest";
import { junitReport } from "../../support/files/junit-samples.ts";
import { runStep, type Step } from "../../support/programs/actions-runner.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { appForAction } from "../../support/worlds/app-for-action.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

it("a step of the action reports failing tests, and a later step resolves them when the same job of the matrix succeeds", async () => {
  const { inputs, app, thread } = await appForAction(service);
  const globs = { junit: "out/a b.xml\nout/c*.xml" };
  const red = {
    "out/a b.xml": junitReport({ name: "adds", failure: "no" }),
    "out/c.xml": junitReport({ name: "b" }),
  };
  const reported = await runStep({
    with: { ...inputs, ...globs, command: "feedback send" },
    matrix: { node: 20 },
    files: red,
  });
  expect(reported.code).toBe(0);
  const id = reported.outputs["feedback-id"];
  expect((await thread(id)).feedback).toMatchObject({ subject: "Test failed: adds (cart)", status: "open" });

  const green = { ...red, "out/a b.xml": junitReport({ name: "adds" }) };
  const resolve = async (more: Omit<Step, "with">) => {
    const step = { ...inputs, ...globs, app: app.id, command: "feedback resolve" };
    const { code } = await runStep({ env: { GITHUB_RUN_ID: "78" }, ...more, with: step, files: green });
    expect(code).toBe(0);
    return (await thread(id)).feedback.status;
  };
  expect(await resolve({ matrix: { node: 20 }, status: "cancelled" })).toBe("open");
  expect(await resolve({ matrix: { node: 22 } })).toBe("open");
  expect(await resolve({ matrix: { node: 20 } })).toBe("resolved");
});

it("a step of the action with a server that has only the specification does not make the job fail", async () => {
  const { inputs } = await appForAction(service);
  const ended = await runStep({
    with: {
      ...inputs,
      command: "feedback resolve",
      "dedupe-key": "k",
      app: "0197b3a0-0000-7000-8000-000000000001",
      "best-effort": "true",
    },
  });
  expect(ended.code).toBe(0);
  expect(ended.annotations).toMatchObject([{ level: "warning", title: "No feedback was resolved" }]);
});

it("a step of the action that resolves sends each of several keys and the start time of the job", async () => {
  const { inputs } = await appForAction(service);
  const { "api-key": _, ...maintainer } = inputs;
  const given = { command: "feedback resolve", "dedupe-key": "unit tests\nnightly", "dry-run": "true" };
  const { log, pre } = await runStep({ with: { ...maintainer, ...given } });
  const { startedAt = "" } = pre.state;
  expect(startedAt).toMatch(/^\d{4}-/);
  expect(log).toContain(`"startedAt": "${startedAt}"`);
  expect(log).toMatch(/"passed": \[\s+"unit tests",\s+"nightly"\s+\]/);
  const own = { ...given, "run-started-at": "2026-11-21T09:00:00Z", status: "cancelled" };
  expect((await runStep({ with: { ...maintainer, ...own } })).log).toContain('ended with "cancelled"');
  const later = await runStep({ with: { ...maintainer, ...own, status: "success" } });
  expect(later.log).toContain('"startedAt": "2026-11-21T09:00:00Z"');
});
