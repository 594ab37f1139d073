import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { appKey } from "../../support/clients/client-with-credentials.ts";
import { listen } from "../../support/network/recording-server.ts";
import { innkeepPath } from "../../support/programs/built-program.ts";
import { rounds } from "../../support/torture.ts";
import { makeCheckout, markdown } from "../../support/worlds/app-with-faq-files.ts";

const count = rounds(40, 400);
const idOf = (at: number) => `01a1fda4-237d-759b-ad89-${String(at).padStart(12, "0")}`;
const listOf = (answer: string) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ id: idOf(at), question: `Question ${at}?`, answer: `${answer} ${at}`, sortOrder: at },
  }));

it.each([0, count * 0.15, count * 0.75])(
  "the next pull completes a pull that was killed after it had written file %i",
  async (file) => {
    let list = listOf("Old");
    const baseUrl = await listen((_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(list));
    });
    const env = { INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: appKey };
    const checkout = await makeCheckout(env);
    const { cwd } = checkout.line;
    // Some files exist with an older text, as after an earlier pull.
    expect((await checkout.run("faq pull")).exit).toBe(0);
    for (let at = 0; at < count; at += 2)
      await checkout.write(
        `faq/question-${at}.md`,
        markdown({ id: idOf(at), question: `Question ${at}?`, sortOrder: at }, `Old ${at}`),
      );
    list = listOf("New");
    const pull = spawn(process.execPath, [innkeepPath, "faq", "pull"], {
      cwd,
      env: { PATH: process.env.PATH, HOME: join(cwd, ".."), ...env },
    });
    const closed = once(pull, "close");
    while (pull.exitCode === null && !(await checkout.read(`faq/question-${file}.md`)).includes("New"));
    pull.kill("SIGKILL");
    await closed;
    for (const [name, text] of Object.entries(await checkout.all()))
      if (!name.endsWith(".part")) expect(text).not.toBe("");
    const again = await checkout.run("faq pull");
    expect(again).toMatchObject({ exit: 0, stderr: "" });
    expect((await checkout.run("faq diff --exit-code")).exit).toBe(0);
    const names = await readdir(join(cwd, "faq"));
    expect(names.filter((name) => name.endsWith(".md"))).toHaveLength(count);
    expect(names.filter((name) => name.endsWith(".part")).length).toBeLessThanOrEqual(1);
  },
);
