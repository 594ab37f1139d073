import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { secrets } from "../../support/specified-server/operation.ts";
import { type SpecifiedServer, startSpecifiedServer } from "../../support/specified-server/server.ts";
import {
  cloneOf,
  type FaqCheckout,
  makeCheckout,
  markdown,
} from "../../support/worlds/app-with-faq-files.ts";

let server: SpecifiedServer;
let checkout: FaqCheckout;
let env: Record<string, string>;
beforeEach(async () => {
  server = await startSpecifiedServer();
  env = { INNKEEP_BASE_URL: server.baseUrl, INNKEEP_API_KEY: secrets.appKey };
  checkout = await makeCheckout(env);
});

const listed = () => [...server.faqs.values()].map(({ question, answer }) => `${question} ${answer}`).sort();
const methods = () => server.asked.map((name) => name.split(" ")[0]);
const mutations = () => methods().filter((method) => method !== "GET");

describe("FAQ files with a server that has only the specification", () => {
  it("are synchronised entry by entry, with a report about each", async () => {
    await checkout.write("faq/a.md", markdown({ question: "A?" }, "So."));
    await checkout.write("faq/b.md", markdown({ question: "B?", sortOrder: 5 }, "So."));
    const ran = await checkout.run("faq push --yes");
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(ran.stdout).toMatch(/\ndone {6}create {2}\S+\ndone {6}create {2}\S+\nPushed 2 of 2\.\n$/);
    expect(listed()).toEqual(["A? So.", "B? So."]);
    await checkout.write("faq/a.md", (await checkout.read("faq/a.md")).replace("So.", "New."));
    await rm(join(checkout.line.cwd, "faq/b.md"));
    server.asked.length = 0;
    expect((await checkout.run("faq push --yes --prune --json")).json()).toMatchObject({
      pushed: true,
      results: [
        { action: "change", outcome: "done" },
        { action: "delete", outcome: "done" },
      ],
    });
    expect(methods()).toEqual(["GET", "PATCH", "DELETE"]);
    expect(listed()).toEqual(["A? New."]);
    server.asked.length = 0;
    expect((await checkout.run("faq push --yes")).exit).toBe(0);
    expect(methods()).toEqual(["GET"]);
  });

  it("cause a report about each failure, and the next push does the remaining work", async () => {
    for (const name of ["A", "B", "C"])
      await checkout.write(`faq/${name}.md`, markdown({ question: `${name}?` }, "So."));
    await checkout.run("faq push --yes");
    const [, second] = [...server.faqs.values()];
    server.brokenFaqs.add(second?.id ?? "");
    for (const name of ["A", "B", "C"])
      await checkout.write(`faq/${name}.md`, (await checkout.read(`faq/${name}.md`)).replace("So.", "New."));
    const ran = await checkout.run("faq push --yes");
    expect(ran.exit).toBe(2);
    expect(ran.stdout).toContain(`failed    change  ${second?.id}: This entry is locked.`);
    expect(listed()).toEqual(["A? New.", "B? So.", "C? New."]);
    server.brokenFaqs.clear();
    server.asked.length = 0;
    expect((await checkout.run("faq push --yes")).exit).toBe(0);
    expect(methods()).toEqual(["GET", "PATCH"]);
    expect(listed()).toEqual(["A? New.", "B? New.", "C? New."]);
  });

  it("can be pulled and compared, and are a conflict if both sides changed", async () => {
    await checkout.write("faq/a.md", markdown({ question: "A?" }, "So."));
    await checkout.run("faq push --yes");
    const other = await makeCheckout(env);
    expect((await other.run("faq pull")).exit).toBe(0);
    await other.write("faq/a.md", (await other.read("faq/a.md")).replace("So.", "Other."));
    expect((await other.run("faq push --yes")).exit).toBe(0);
    await checkout.write("faq/a.md", (await checkout.read("faq/a.md")).replace("So.", "Mine."));
    server.asked.length = 0;
    expect((await checkout.run("faq push --yes")).exit).toBe(7);
    expect(mutations()).toEqual([]);
    expect(listed()).toEqual(["A? Other."]);
  });

  it("cause no false conflict in CI, because the history of the repository is used", async () => {
    await checkout.write("faq/a.md", markdown({ question: "A?", sortOrder: 1 }, "First."));
    await checkout.run("faq push --yes");
    const git = (cwd: string, ...words: string[]) =>
      execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...words], { cwd });
    git(checkout.line.cwd, "init", "-q");
    for (let commit = 1; commit <= 4; commit += 1) {
      const text = (await checkout.read("faq/a.md")).replace(/sortOrder: \d/, `sortOrder: ${commit + 1}`);
      await checkout.write("faq/a.md", text.replace(/\n[^\n]*\n$/, `\nCommit ${commit}.\n`));
      git(checkout.line.cwd, "add", "-A");
      git(checkout.line.cwd, "commit", "-q", "-m", `Commit ${commit}`);
      const job = await makeCheckout({ ...env, CI: "true" });
      git(job.line.cwd, "clone", "-q", checkout.line.cwd, ".");
      expect(await job.run("faq push --yes")).toMatchObject({ exit: 0 });
      expect(listed()).toEqual([`A? Commit ${commit}.`]);
    }
    const [entry] = [...server.faqs.values()];
    if (entry) server.faqs.set(entry.id, { ...entry, answer: "Person." });
    const job = await cloneOf(checkout, { ...env, CI: "true" });
    expect((await job.run("faq push --yes")).exit).toBe(7);
  });

  it("are refused in one sentence if the server needs another credential", async () => {
    const stranger = await makeCheckout({ INNKEEP_BASE_URL: server.baseUrl });
    await stranger.write("faq/a.md", markdown({ question: "A?" }, "So."));
    expect((await stranger.run("faq push --yes")).exit).toBe(4);
  });
});
