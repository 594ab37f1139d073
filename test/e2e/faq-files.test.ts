import { spawn } from "node:child_process";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openEditor } from "../../bin/start-programs.lazy.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeepPath } from "../support/programs/built-program.ts";
import { type Service, startService } from "../support/service/service.ts";
import { markdown } from "../support/worlds/app-with-faq-files.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

it("the built program pulls, compares and pushes FAQ files", async () => {
  const app = await service.makeApp();
  const cwd = await temporaryFolder();
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    INNKEEP_BASE_URL: service.baseUrl,
    INNKEEP_API_KEY: app.key,
  };
  const run = (...argv: string[]) =>
    new Promise<{ code: number | null; text: string }>((resolve) => {
      const child = spawn(process.execPath, [innkeepPath, "faq", ...argv], { cwd, env });
      let text = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => {
          text += chunk;
        });
      child.on("close", (code) => resolve({ code, text }));
    });
  await mkdir(join(cwd, "faq"));
  await writeFile(join(cwd, "faq/sync.md"), markdown({ question: "How do I sync?" }, "Tap *Sync*."));
  expect(await run("push", "--yes")).toMatchObject({
    code: 0,
    text: expect.stringContaining("Pushed 1 of 1."),
  });
  const pushed = await readFile(join(cwd, "faq/sync.md"), "utf8");
  expect(pushed).toMatch(/^---\nid: [\w-]{36}\nquestion: How do I sync\?\n---\nTap \*Sync\*\.\n$/);
  await writeFile(join(cwd, "faq/sync.md"), pushed.replace("Tap", "Press"));
  expect(await run("diff", "--exit-code")).toMatchObject({
    code: 3,
    text: expect.stringContaining("+Press *Sync*."),
  });
  expect(await run("pull", "copy.yaml")).toMatchObject({ code: 0 });
  expect(await readFile(join(cwd, "copy.yaml"), "utf8")).toContain("answer: Tap *Sync*.");
  expect((await readdir(join(cwd, "faq"))).sort()).toEqual([".innkeep-faq.json", "sync.md"]);
});

it("the editor can be a command with flags, and gets the file as its last argument", async () => {
  const folder = join(await temporaryFolder(), "it's here");
  await mkdir(folder);
  const [editor, file] = [join(folder, "editor.sh"), join(folder, "a file.md")];
  await writeFile(editor, '#!/bin/sh\n[ "$1" = --wait ] || exit 9\nprintf edited > "$2"\n');
  await chmod(editor, 0o755);
  await writeFile(file, "before");
  const command = `'${editor.replaceAll("'", "'\\''")}'`;
  expect(await openEditor(`${command} --wait`, file)).toBe(0);
  expect(await readFile(file, "utf8")).toBe("edited");
  expect(await openEditor(command, file)).toBe(9);
});
