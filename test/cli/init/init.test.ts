import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { listen } from "../../support/network/recording-server.ts";
import { type Service, startService } from "../../support/service/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A person with an empty folder, and an app with readable threads. */
async function newcomer(env: Readonly<Record<string, string>> = {}) {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner, { name: "Larder" });
  const line = await createCommandLine(env);
  const headers = await service.signIn(owner);
  const subjects = async () => {
    const { body } = await service.request("GET", `/api/v1/console/apps/${app.id}/feedback`, { headers });
    return Object(body).items.map(({ subject, occurrences }: Record<string, unknown>) => [
      subject,
      occurrences,
    ]);
  };
  const project = async () => JSON.parse(await readFile(join(line.cwd, "innkeep.json"), "utf8"));
  return { app, line, project, subjects, server: ["--server", service.baseUrl] };
}

describe("the command init without a terminal", () => {
  it("needs only flags from an empty folder to a sent report", async () => {
    const { app, line, project, server, subjects } = await newcomer();
    const flags = [...server, "--app", "Larder", "--api-key-file", "-", "--store", "--send"];
    const ran = await line.run(["init", ...flags], { stdin: `${app.key}\n` });
    expect(ran).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining("\ninnkeep feedback send"),
    });
    expect(ran.stderr).toContain("Sent a first report. http");
    expect(await project()).toEqual({ server: service.baseUrl, app: "Larder" });
    expect(await subjects()).toEqual([["First report", 1]]);
    expect(await readdir(line.cwd)).toEqual(["innkeep.json"]);
    expect(ran.stdout + ran.stderr).not.toContain(app.key);

    const next = ["feedback", "send", "--type", "bug", "--message", "It works."];
    expect(await line.run(next)).toMatchObject({ exit: 0 });
    expect(await subjects()).toHaveLength(2);
  });

  it("can run again: the file stays, and the report is added to its thread", async () => {
    const { app, line, server, subjects } = await newcomer();
    const again = () =>
      line.run(["init", ...server, "--send", "--message", "Hello.", "--json"], {
        env: { INNKEEP_API_KEY: app.key },
      });
    const [first, second] = [await again(), await again()];
    expect(first.json()).toMatchObject({
      server: service.baseUrl,
      app: null,
      file: join(line.cwd, "innkeep.json"),
      change: "created",
      key: { source: "INNKEEP_API_KEY", stored: false },
      report: { id: expect.any(String), consoleUrl: expect.stringContaining("/console/") },
      ci: [{ service: "shell", file: null }],
    });
    expect(second.json()).toMatchObject({ change: "unchanged" });
    expect(await subjects()).toEqual([["First report", 2]]);
  });

  it("says how the next command gets its key if no key is stored", async () => {
    const { app, line, server } = await newcomer();
    const env = { INNKEEP_API_KEY: app.key };
    expect((await line.run(["init", ...server], { env })).stderr).toContain(
      `\`innkeep init --server ${service.baseUrl} --store\``,
    );
    expect((await line.run(["faq", "list"], { env })).exit).toBe(4);
    expect((await line.run(["init", "--base-url", service.baseUrl, "--store"], { env })).exit).toBe(0);
    expect((await line.run(["faq", "list"], { env })).exit).toBe(0);
  });

  it("works without a key, and says where a person gets one", async () => {
    const { line, project, server } = await newcomer();
    const ran = await line.run(["init", ...server, "--json"]);
    expect(ran.json()).toMatchObject({ key: null, report: null, change: "created" });
    expect(await project()).toEqual({ server: service.baseUrl });
    expect((await line.run(["init", ...server])).stderr).toContain("innkeep auth set api-key");
    expect((await line.run(["init", ...server, "--send"])).exit).toBe(4);
  });

  it("shows the file and the report with --dry-run, and changes nothing", async () => {
    const { app, line, server, subjects } = await newcomer();
    const flags = [...server, "--api-key-file", "-", "--store", "--send", "--dry-run"];
    const ran = await line.run(["init", ...flags], { stdin: app.key });
    expect(ran).toMatchObject({ exit: 0, stdout: expect.stringContaining("POST http") });
    expect(ran.stdout).toContain('"subject": "First report"');
    expect(ran.stderr).toMatch(/Would write .*innkeep\.json: \{[\s\S]*Would store the app key/);
    expect(ran.stdout + ran.stderr).not.toContain(app.key);
    expect(await readdir(line.cwd)).toEqual([]);
    expect(await subjects()).toEqual([]);
    expect((await line.run(["auth", "status", "--offline", "--json"])).stdout).not.toContain(
      '"credentials.json"',
    );
    const json = await line.run(["init", ...flags, "--json"], { stdin: app.key });
    expect(json.json()).toMatchObject({
      dryRun: true,
      change: "created",
      report: { request: expect.any(String) },
    });
  });

  it("keeps an innkeep.json with other content unless the flag is --yes", async () => {
    const { line, project, server } = await newcomer();
    const file = { $schema: "./schema.json", server: "https://old.example", app: "Larder" };
    await writeFile(join(line.cwd, "innkeep.json"), JSON.stringify(file));
    expect(await line.run(["init", ...server])).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(
        /Replace the content of .* \(https:\/\/old\.example, Larder\).*Add --yes/s,
      ),
    });
    expect(await project()).toEqual(file);
    expect((await line.run(["init", ...server, "--yes"])).exit).toBe(0);
    expect(await project()).toEqual({ ...file, server: service.baseUrl });
    expect((await line.run(["init"])).exit).toBe(0);
  });

  it.each([
    ["no server", [], "--server is missing", 2],
    [
      "two servers",
      ["--server", "http://a.example", "--base-url", "http://b.example"],
      "different servers",
      2,
    ],
    ["a server that is no address", ["--server", "inn"], "--server is not the address of a server", 2],
    ["a password in the address", ["--server", "http://ada:pw@a.example"], "no password", 2],
    ["a secret as app", ["--server", "http://a.example", "--app", `sdk_${"a".repeat(36)}`], "secret", 2],
    ["a secret in the address", ["--server", `http://a.example/sdk_${"a".repeat(36)}`], "secret", 2],
  ])("refuses %s, and writes nothing", async (_, flags, message, exit) => {
    const line = await createCommandLine();
    const ran = await line.run(["init", ...flags]);
    expect(ran).toMatchObject({ exit, stderr: expect.stringContaining(message) });
    expect(ran.stderr).not.toContain("a".repeat(36));
    expect(await readdir(line.cwd)).toEqual([]);
  });

  it.each([
    ["that the server refuses", `sdk_${"a".repeat(36)}`, 4, "not accepted"],
    ["of another kind", `sdm_${"a".repeat(36)}`, 4, "maintainer token"],
  ])("writes nothing for a key %s", async (_, key, exit, message) => {
    const { line, server } = await newcomer();
    const ran = await line.run(["init", ...server, "--api-key-file", "-", "--store"], { stdin: key });
    expect(ran).toMatchObject({ exit, stderr: expect.stringContaining(message) });
    expect(await readdir(line.cwd)).toEqual([]);
  });

  it("writes nothing if it cannot check the key with the server", async () => {
    const down = await listen((_, response) => void response.writeHead(503).end());
    const line = await createCommandLine({ INNKEEP_API_KEY: "sdk_a" });
    expect((await line.run(["init", "--server", down])).exit).toBe(75);
    expect(await readdir(line.cwd)).toEqual([]);
  });

  it("says that the file in a folder above is no longer used", async () => {
    const { line, server } = await newcomer();
    await writeFile(join(line.cwd, "innkeep.json"), '{"server":"https://old.example"}');
    const cwd = join(line.cwd, "part");
    await mkdir(cwd);
    const ran = await line.run(["init", ...server], { world: { cwd } });
    expect(ran).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining("will no longer be used in this folder"),
    });
  });
});

describe("the command init on a terminal", () => {
  /** Answers questions by their first words, and records them. */
  const answers = (given: Readonly<Record<string, string>>) => {
    const questions: string[] = [];
    const typed = (question: string) => {
      questions.push(question);
      return Object.entries(given).find(([start]) => question.startsWith(start))?.[1] ?? "";
    };
    return { questions, typed };
  };

  it("asks for server, app and key, stores the key, shows the report and sends it", async () => {
    const { app, line, project, subjects } = await newcomer();
    const { questions, typed } = answers({
      Address: service.baseUrl,
      "Which app do": "Larder",
      "The app key": app.key,
      "Store the key": "",
      "Send this": "y",
    });
    const ran = await line.run(["init"], { terminal: true, typed });
    expect(ran.exit).toBe(0);
    expect(questions).toHaveLength(5);
    expect(ran.stderr).toMatch(/First report\n.*sent by `innkeep init`/);
    expect(await project()).toEqual({ server: service.baseUrl, app: "Larder" });
    expect(await subjects()).toEqual([["First report", 1]]);
    expect((await line.run(["faq", "list"])).exit).toBe(0);
  });

  it("proposes the only app of a maintainer token, and lists the apps if there are several", async () => {
    const owner = await service.makeUser();
    await service.makeApp(owner, { name: "Larder" });
    const token = () => service.makeToken(owner, "maintainer", { scopes: ["apps:read"] });
    const { line, project, server } = await newcomer({ INNKEEP_TOKEN: await token() });
    const { questions, typed } = answers({});
    await line.run(["init", ...server], { terminal: true, typed });
    expect(questions[0]).toContain("[Larder]");
    expect(await project()).toEqual({ server: service.baseUrl, app: "Larder" });
    await service.makeApp(owner, { name: "Lantern" });
    const second = await newcomer({ INNKEEP_TOKEN: await token() });
    await second.line.run(["init", ...server], { terminal: true, typed });
    expect(questions.find((question) => question.includes("one of"))).toContain(
      "one of Larder, Lantern [none]",
    );
    expect(await second.project()).toEqual({ server: service.baseUrl });
  });

  it("stores and sends nothing before the person agrees", async () => {
    const { app, line, subjects } = await newcomer();
    const { typed } = answers({ Address: service.baseUrl, "The app key": app.key, "Store the key": "n" });
    const ran = await line.run(["init"], { terminal: true, typed });
    expect(ran).toMatchObject({ exit: 0, stderr: expect.stringContaining("No report was sent.") });
    expect(await subjects()).toEqual([]);
    expect((await line.run(["faq", "list"])).exit).toBe(4);
  });

  it("refuses a token in place of the key", async () => {
    const { line, server } = await newcomer();
    const { typed } = answers({ "The app key": `sda_${"a".repeat(36)}` });
    const ran = await line.run(["init", ...server], { terminal: true, typed });
    expect(ran).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("What you typed contains an agent token"),
    });
    expect(await readdir(line.cwd)).toEqual([]);
  });
});
