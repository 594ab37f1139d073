import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runStep } from "../../support/programs/actions-runner.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { markdown } from "../../support/worlds/app-with-faq-files.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function appWithFaq() {
  const app = await service.makeApp();
  const headers = { "x-api-key": app.key };
  const list = async () => (await service.request("GET", "/api/v1/faqs/remote", { headers })).body;
  return { list, inputs: { "base-url": service.baseUrl, "api-key": app.key } };
}

describe("the steps `faq diff` and `faq push`", () => {
  it("show the plan as an output and on the summary page, and push the files of the job", async () => {
    const { inputs, list } = await appWithFaq();
    const files = { "docs/faq/sync.md": markdown({ question: "How do I sync?" }, "Tap *Sync*.") };
    const step = { with: { ...inputs, path: "docs/faq" }, files };
    const diff = await runStep({ ...step, with: { ...step.with, command: "faq diff" } });
    expect(diff).toMatchObject({ code: 0, annotations: [] });
    expect(diff.outputs.plan).toContain('create    docs/faq/sync.md  "How do I sync?"');
    expect(diff.summary).toContain("### innkeep faq diff");
    expect(await list()).toEqual([]);
    const push = await runStep({ ...step, with: { ...step.with, command: "faq push", prune: "true" } });
    expect(push).toMatchObject({ code: 0, annotations: [] });
    expect(push.outputs.plan).toContain("Pushed 1 of 1.");
    expect(await list()).toMatchObject([{ question: "How do I sync?", answer: "Tap *Sync*." }]);
    const checked = await runStep({
      ...step,
      with: { ...step.with, command: "faq diff", "exit-code": "true" },
    });
    expect(checked.code).toBe(0);
  });

  it("fail with an annotation if the files have faults", async () => {
    const { inputs, list } = await appWithFaq();
    const files = { "faq/sync.md": "No front matter.\n" };
    const ended = await runStep({ with: { ...inputs, command: "faq push" }, files });
    expect(ended).toMatchObject({ code: 2, outputs: {} });
    expect(ended.annotations).toMatchObject([{ level: "error", title: "innkeep faq push" }]);
    expect(ended.log).toContain("faq/sync.md has no front matter");
    expect(await list()).toEqual([]);
  });
});
