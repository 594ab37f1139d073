import { execFileSync } from "node:child_process";
import { chown, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeepDev, innkeepPath, innkeepServe } from "../support/programs/built-program.ts";
import { createDevExec, expectGoneSoon, isAlive } from "../support/programs/dev-exec.ts";

const node = (script: string) => ["--", process.execPath, "-e", script];
const cli = (...words: string[]) => ["--", process.execPath, innkeepPath, ...words];

/** The child processes of a process. */
const childrenOf = (id: number): number[] =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid="])
    .toString()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([own = 0, parent]) => (parent === id ? [own] : []));

describe("the command innkeep dev exec", () => {
  it.each([
    ["the app key", ["faq", "list", "--json"], '"items"'],
    ["the agent token and the maintainer token", ["feedback", "list", "--json"], "Crash when I add"],
    ["the device token", ["task", "list", "--json"], "Larder"],
    ["the test key", ["session", "status", "--json"], '"dayIndex":9'],
  ])("passes %s to its program", async (_, words, found) => {
    const { run } = await createDevExec();
    expect(await run(cli(...words))).toMatchObject({ code: 0, stdout: expect.stringContaining(found) });
  });

  it("ends with the exit code of its program, and leaves no folder", async () => {
    const { run, folders } = await createDevExec();
    expect(await run(node("process.exit(42)"))).toMatchObject({ code: 42 });
    expect(await run(node('process.kill(process.pid, "SIGTERM")'))).toMatchObject({ code: 143 });
    expect(await folders()).toEqual([]);
  });

  it("names the program that it cannot start", async () => {
    const { run, folders } = await createDevExec();
    const ran = await run(["--", "no-such-program"]);
    expect(ran).toMatchObject({ code: 127, stderr: expect.stringContaining("no-such-program cannot be") });
    expect(await folders()).toEqual([]);
  });

  it("says that an empty program name cannot be started", async () => {
    const { run } = await createDevExec();
    const ran = await run(["--", ""]);
    expect(ran).toMatchObject({ code: 127, stderr: expect.stringContaining('"" cannot be started') });
  });

  it("says in one line that it cannot create a folder", async () => {
    const { run } = await createDevExec();
    const { code, stderr } = await run(node("0"), { TMPDIR: "/nowhere" });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        "error: No folder can be created in /nowhere (it does not exist). Set TMPDIR to a folder that can be written.\n",
    });
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "passes %s to its program, and waits for the end of the program",
    async (signal) => {
      const { start, printed } = await createDevExec();
      const running = start(
        node(
          `process.on("${signal}", () => process.exit(7)); console.log("on"); setInterval(() => {}, 1000)`,
        ),
      );
      await printed(running, /on/);
      running.child.kill(signal);
      expect(await running.ended).toBe(7);
    },
  );

  it("uses a different port for each run, and removes variables that name another server", async () => {
    const { run } = await createDevExec();
    const elsewhere = {
      INNKEEP_BASE_URL: "https://inn.example.org",
      INNKEEP_DATABASE_URL: "postgres://127.0.0.1:1/production",
      INNKEEP_DATA: "/nowhere",
      INNKEEP_PORT: "1",
      INNKEEP_API_KEY: "sdk_of_production",
    };
    const script = "console.log(process.env.INNKEEP_BASE_URL, process.env.INNKEEP_API_KEY)";
    const [one, other] = await Promise.all([run(node(script), elsewhere), run(node(script), elsewhere)]);
    expect(one.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+ sdk_\w{38}\n$/);
    expect(one.stdout).not.toBe(other.stdout);
  });

  it("keeps the folder with --keep, so that a server can use it", async () => {
    const { run } = await createDevExec();
    const kept = await run(["--keep", ...cli("faq", "create", "--question", "Kept?", "--answer", "Yes.")]);
    const [, data = ""] = /data is in (\S+)\.\n/.exec(kept.stderr) ?? [];
    const { ready } = await innkeepServe(["--demo", "--port", "0", "--data", data]);
    const answer = await fetch(`${ready.baseUrl}/api/v1/faqs/remote`, {
      headers: { "x-api-key": ready.demo.apiKey },
    });
    expect(await answer.text()).toContain("Kept?");
  });
});

describe("a killed innkeep dev exec", () => {
  it("leaves no server, no program, no child process and no folder", async () => {
    const { start, printed, folders } = await createDevExec();
    const stubborn = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)`;
    const script = `const child = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(stubborn)}]);
      console.log("ids", process.pid, child.pid); ${stubborn}`;
    const running = start(node(script));
    const [, ...ids] = await printed(running, /ids (\d+) (\d+)/);
    const all = [...new Set([...ids.map(Number), ...childrenOf(running.child.pid ?? 0)])];
    expect(all.filter(isAlive)).toHaveLength(3);
    running.child.kill("SIGKILL");
    await expectGoneSoon(all);
    expect(await folders()).toEqual([]);
  });

  it("leaves nothing if it is killed during the start of the server", async () => {
    const { start, folders } = await createDevExec();
    const running = start(node("0"));
    const [server = 0] = await vi.waitUntil(
      () => {
        const children = childrenOf(running.child.pid ?? 0);
        return children.length > 0 && children;
      },
      { timeout: 60_000, interval: 5 },
    );
    running.child.kill("SIGKILL");
    await expectGoneSoon([server]);
    expect(await folders()).toEqual([]);
  });

  it("leaves a folder only if its server is also killed, and only until the next start", async () => {
    const { start, run, printed, folders } = await createDevExec();
    const running = start(node('console.log("on"); setInterval(() => {}, 1000)'));
    await printed(running, /on/);
    const all = childrenOf(running.child.pid ?? 0);
    for (const id of [running.child.pid ?? 0, ...all]) process.kill(id, "SIGKILL");
    await expectGoneSoon(all);
    expect(await folders()).toHaveLength(1);
    const old = await folders();
    await run(node("setTimeout(() => {}, 1000)"));
    expect(await folders()).not.toContain(old[0]);
  });
});

describe("a path that looks like the folder of a killed server", () => {
  it("is not deleted if it is a link, leads to another place, or belongs to another user", async () => {
    const { run, tmp } = await createDevExec();
    const precious = join(tmp, "precious");
    await mkdir(join(precious, "data"), { recursive: true });
    await writeFile(join(precious, "data", "mine"), "");
    await symlink(precious, join(tmp, "innkeep-dev-4194305-link"));
    const leading = join(tmp, "innkeep-dev-4194306-leading");
    await mkdir(leading);
    await symlink(join(precious, "data"), join(leading, "data"));
    const foreign = join(tmp, "innkeep-dev-4194307-foreign");
    await mkdir(join(foreign, "data"), { recursive: true });
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await chown(foreign, 65_534, 65_534);
    await mkdir(join(tmp, "innkeep-dev-4194308-dead", "data"), { recursive: true });
    await run(node("setTimeout(() => {}, 1000)"));
    const left = await readdir(tmp);
    expect(left).not.toContain("innkeep-dev-4194308-dead");
    expect(left).toEqual(expect.arrayContaining(["innkeep-dev-4194305-link", "innkeep-dev-4194306-leading"]));
    if (isRoot) expect(left).toContain("innkeep-dev-4194307-foreign");
    expect(await readdir(join(precious, "data"))).toEqual(["mine"]);
  });
});

const seedApps = [
  {
    name: "Atlas",
    githubRepository: "atlas/atlas",
    faqs: [{ question: "Where?", answer: "Here." }],
    changelog: [{ title: "First", version: "1.0.0", body: "All of it.", publish: true }],
    feedback: [{ type: "bug", message: "It rains on the map.", dedupeKey: "rain", metadata: { os: "9" } }],
  },
  { name: "Second App", faqs: [{ question: "Who?", answer: "You." }] },
];

const seedYaml = `
apps:
  - name: Atlas
    faqs:
      - question: Where?
        answer: |
          Here.
`;

describe("a seed file", () => {
  it("creates apps with FAQ, release notes and feedback, and creates a key for each app", async () => {
    const { run, file } = await createDevExec();
    const seed = await file("seed.json", JSON.stringify({ apps: seedApps }));
    const script = `
      const call = (path, headers) => fetch(process.env.INNKEEP_BASE_URL + path, { headers }).then((a) => a.json());
      const { INNKEEP_API_KEY: key, INNKEEP_API_KEY_SECOND_APP: second, INNKEEP_TOKEN: token } = process.env;
      Promise.all([
        call("/api/v1/faqs/remote", { "x-api-key": key }),
        call("/api/v1/faqs/remote", { "x-api-key": second }),
        call("/api/v1/changelog/remote", { "x-api-key": key }),
        call("/api/v1/console/apps/" + process.env.INNKEEP_APP + "/feedback", { authorization: "Bearer " + token }),
      ]).then((all) => console.log(JSON.stringify(all)));`;
    const { stdout } = await run(["--seed", seed, ...node(script)]);
    const [faqs, others, { entries }, feedback] = JSON.parse(stdout);
    expect(faqs).toMatchObject([{ question: "Where?" }]);
    expect(others).toMatchObject([{ question: "Who?" }]);
    expect(entries).toMatchObject([{ version: "1.0.0", body: "All of it." }]);
    expect(feedback.items).toMatchObject([{ subject: "It rains on the map." }]);
  });

  it("can be YAML", async () => {
    const { run, file } = await createDevExec();
    const seed = await file("seed.yaml", seedYaml);
    const ran = await run(["--seed", seed, ...cli("faq", "list", "--fields", "question,answer")]);
    expect(ran).toMatchObject({ code: 0, stdout: "Where?\tHere.\n" });
  });

  it("prevents the start if it has faults, and all faults are named", async () => {
    const { run, file, folders } = await createDevExec();
    const faulty = { apps: [{ name: "", faq: [], faqs: [{ question: "Only a question?" }] }] };
    const seed = await file("seed.json", JSON.stringify(faulty));
    const { code, stderr, stdout } = await run(["--seed", seed, ...node("console.log(1)")]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("apps.0.name must not be empty");
    expect(stderr).toContain("apps.0.faqs.0.answer is missing");
    expect(stderr).toContain("apps.0 must not have the field faq");
    expect(await folders()).toEqual([]);
  });

  it.each([
    ["is missing", undefined, "cannot be read (it does not exist)"],
    ["is not JSON", "{", "is not JSON or YAML"],
  ])("causes an error if it %s", async (_, text, message) => {
    const { run, file, tmp } = await createDevExec();
    const seed = text === undefined ? `${tmp}/none.json` : await file("seed.json", text);
    expect(await run(["--seed", seed, ...node("0")])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });
});

describe("the command innkeep dev", () => {
  it("uses the next free port if its port is in use", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", () => resolve()));
    const address = taken.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const { ready } = await innkeepDev(["--data", await temporaryFolder()], { INNKEEP_PORT: String(port) });
    taken.close();
    expect(Number(new URL(ready.baseUrl).port)).not.toBe(port);
    expect(ready.demo.appId).toMatch(/^[\da-f-]{36}$/);
    expect((await fetch(`${ready.baseUrl}/dev/faults`)).status).toBe(200);
  });
});
