import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeep } from "../support/programs/built-program.ts";
import { type Service, startService } from "../support/service/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

it("the built program imports a changelog, releases a version twice and exports the notes", async () => {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner);
  const scopes = { scopes: ["changelog:write"], appId: app.id };
  const token = await service.makeToken(owner, "maintainer", scopes);
  const folder = await temporaryFolder();
  const file = join(folder, "CHANGELOG.md");
  await writeFile(file, "## 1.1.0 - 2026-03-02\n\n- Add lists\n\n## 1.0.0 - 2026-01-15\n\n- Add maps\n");
  const env = {
    ...{ HOME: folder, INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN: token },
    ...{ GITLAB_CI: "true", CI_COMMIT_TAG: "v1.1.0" },
  };
  const run = (...argv: readonly string[]) => innkeep(["changelog", ...argv], { env });

  expect(await run("release", file, "--platform-version", "android=145")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Released 1.1.0"),
  });
  expect(await run("release", file)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Nothing to do"),
  });
  expect(await run("import", file)).toMatchObject({
    code: 0,
    stderr: "1 created, 0 changed, 1 unchanged.\n",
  });
  expect(await run("export", "--platform", "android", "--out", folder)).toMatchObject({ code: 0 });
  expect(await readFile(join(folder, "changelogs", "145.txt"), "utf8")).toBe("- Add lists\n");
});
