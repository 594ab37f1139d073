import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runStep, type Step } from "../../support/programs/actions-runner.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { appForAction } from "../../support/worlds/app-for-action.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const changelog =
  "# Changelog\n\n## [1.2.0]\n\n### Fixed\n\n- The list.\n\n## [1.1.0] - 2026-01-02\n\n### Added\n\n- A list.\n";

describe("the step `changelog release` of the action", () => {
  it("publishes the notes of the job's tag once, and sets version and id as outputs", async () => {
    const { inputs, published } = await appForAction(service);
    const { "api-key": _, ...maintainer } = inputs;
    const step: Step = {
      with: { ...maintainer, command: "changelog release", "platform-version": "android=1.2.0\nios=1.2.1" },
      env: { GITHUB_REF: "refs/tags/v1.2.0" },
      files: { "CHANGELOG.md": changelog },
    };
    const first = await runStep(step);
    expect(first).toMatchObject({ code: 0, annotations: [] });
    const [note, ...others] = await published();
    expect(others).toEqual([]);
    expect(note).toMatchObject({
      version: "1.2.0",
      versions: [
        { platform: "android", version: "1.2.0" },
        { platform: "ios", version: "1.2.1" },
      ],
      items: [{ type: "fixed", text: "The list." }],
    });
    expect(first.outputs).toEqual({ version: "1.2.0", "release-note-id": note?.id });
    const second = await runStep(step);
    expect(second).toMatchObject({ code: 0, outputs: first.outputs });
    expect(second.log).toContain("Nothing to do: 1.2.0 is published");
  });

  it("can use another file and another version", async () => {
    const { inputs, published } = await appForAction(service);
    const { "api-key": _, ...maintainer } = inputs;
    const given = {
      command: "changelog release",
      file: "docs/news.md",
      version: "1.1.0",
      title: "@title.txt",
    };
    const files = { "docs/news.md": changelog, "title.txt": "Lists\n" };
    expect(await runStep({ with: { ...maintainer, ...given }, files })).toMatchObject({ code: 0 });
    expect(await published()).toMatchObject([{ version: "1.1.0", title: "Lists" }]);
  });

  it("fails with an annotation that explains the exit code", async () => {
    const { inputs } = await appForAction(service);
    const { "api-key": _, ...maintainer } = inputs;
    const given = { ...maintainer, command: "changelog release", version: "9.0.0" };
    const ended = await runStep({ with: given, files: { "CHANGELOG.md": changelog } });
    expect(ended).toMatchObject({ code: 6, outputs: {} });
    expect(ended.annotations).toEqual([
      {
        level: "error",
        title: "innkeep changelog release",
        message: "Not found. The log of the step has the details. (exit code 6)",
      },
    ]);
    expect(ended.log).toContain("There are no notes of 9.0.0.");
  });
});
