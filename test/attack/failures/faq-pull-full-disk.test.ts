import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { appKey } from "../../support/clients/client-with-credentials.ts";
import { canMount, mountSmall, unmount } from "../../support/database/full-disk.ts";
import { listen } from "../../support/network/recording-server.ts";
import { makeCheckout } from "../../support/worlds/app-with-faq-files.ts";

const list = Array.from({ length: 60 }, (_, at) => ({
  id: `01a1fda4-237d-759b-ad89-${String(at).padStart(12, "0")}`,
  ...{ question: `Question ${at}?`, answer: "A long answer. ".repeat(500), sortOrder: at },
}));

const where = (await canMount()) ? "a small disk" : "no small disk, because this user cannot mount one";

it(`a pull that fills the disk reports this, leaves only complete files, and the next pull is complete, on ${where}`, async () => {
  if (!(await canMount())) return;
  const baseUrl = await listen((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(list));
  });
  const checkout = await makeCheckout({ INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: appKey });
  const folder = join(checkout.line.cwd, "faq");
  await mkdir(folder);
  await mountSmall(folder, 200_000);
  onTestFinished(() => unmount(folder));
  const ran = await checkout.run("faq pull");
  expect(ran).toMatchObject({
    exit: 1,
    stdout: "",
    stderr: expect.stringContaining(`${folder} is full: free some space`),
  });
  expect(ran.stderr).not.toContain("    at ");
  for (const [name, text] of Object.entries(await checkout.all())) {
    expect(name).toMatch(/\.md$/);
    expect(text).toMatch(/long answer\. *\n$/);
  }
  execFileSync("mount", ["-o", "remount,size=4m", folder]);
  expect(await checkout.run("faq pull")).toMatchObject({ exit: 0, stderr: "" });
  expect(await checkout.names()).toHaveLength(list.length);
  expect((await checkout.run("faq diff --exit-code")).exit).toBe(0);
});
