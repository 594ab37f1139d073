import { readdirSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeChangelogCommandLines } from "../../support/worlds/changelog-command-lines.ts";

const folder = join(import.meta.dirname, "changelogs");
const files = readdirSync(folder).filter((name) => name.endsWith(".md"));

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe("the command changelog import with a file in another style", () => {
  it.each(files)("reads %s as its maintainers mean it", async (name) => {
    const line = await createCommandLine();
    const ran = await line.run(["changelog", "import", join(folder, name), "--dry-run", "--json"]);
    expect(ran.stderr).toBe("");
    const { entries } = Object(ran.json());
    const expected = join(folder, name.replace(/md$/, "json"));
    await expect(`${JSON.stringify(entries, null, 2)}\n`).toMatchFileSnapshot(expected);
  });

  it.each(files)("stores %s as it was read, and changes nothing when it runs again", async (name) => {
    const { line } = await makeChangelogCommandLines(service);
    await copyFile(join(folder, name), join(line.cwd, "CHANGELOG.md"));
    const planned = Object((await line.run(["changelog", "import", "--dry-run", "--json"])).json()).entries;
    const first = await line.run(["changelog", "import", "--json"]);
    expect(first).toMatchObject({ exit: 0, stderr: "" });
    const stored = Object(first.json()).items;
    expect(stored).toHaveLength(planned.length);
    planned.forEach(({ draftReason: _, ...entry }: Record<string, unknown>, at: number) => {
      expect(stored[at]).toMatchObject({ publishedAt: null, ...entry, created: true });
    });
    const again = await line.run(["changelog", "import"]);
    expect(again).toMatchObject({ exit: 0, stderr: expect.stringContaining("Nothing to do") });
    const list = await line.run(["changelog", "list", "--all", "--drafts", "--json"]);
    expect(Object(list.json()).items).toHaveLength(planned.length);
  });
});
