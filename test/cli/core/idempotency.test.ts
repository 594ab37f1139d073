import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type CommandLineOptions, createCommandLine } from "../../support/clients/command-line.ts";
import { filesIn } from "../../support/files/temporary-folder.ts";
import {
  type Answering,
  answers,
  hangsUp,
  startRecordingServer,
} from "../../support/network/recording-server.ts";
import { responseDroppingProxy } from "../../support/network/response-dropping-proxy.ts";
import { startService } from "../../support/service/service.ts";

const made = answers(201, { id: "1", question: "How?", answer: "So.", sortOrder: 1 });
const away = [hangsUp];
const create = ["faq", "create", "--question", "How?", "--answer", "So.", "--max-wait", "0s"];

async function lineTo(...given: Answering[]) {
  const { baseUrl, received } = await startRecordingServer(...given);
  const line = await createCommandLine({ INNKEEP_API_KEY: "sdk_ofTheTest", INNKEEP_BASE_URL: baseUrl });
  const keys = () => [...new Set(received.map(({ headers }) => headers["idempotency-key"]))];
  const run = (argv: readonly string[] = create, options: CommandLineOptions = {}) => line.run(argv, options);
  return { line, run, keys, received };
}

describe("a change whose answer was lost", () => {
  it("is sent again with its key if the same command runs again", async () => {
    const { run, keys, received } = await lineTo(...away, made);
    expect((await run()).exit).toBe(75);
    expect((await run()).exit).toBe(0);
    expect([received.length, keys().length]).toEqual([2, 1]);
  });

  it("is carried out once, even if its answer is lost several times", async () => {
    const service = await startService();
    onTestFinished(() => service.stop());
    const app = await service.makeApp();
    const baseUrl = await responseDroppingProxy(service.baseUrl, (response) => response.destroy());
    const line = await createCommandLine({ INNKEEP_API_KEY: app.key, INNKEEP_BASE_URL: baseUrl });
    expect((await line.run([...create, "--max-wait", "1m"])).exit).toBe(0);
    expect((await line.run(["faq", "list", "--fields", "question"])).stdout).toBe("How?\n");
  });

  it("leaves only a hash on the disk, which only its owner can read", async () => {
    const { run, line } = await lineTo(...away);
    await run();
    const [file = ""] = await filesIn(join(line.stateFolder, "pending"));
    expect(await readFile(file, "utf8")).not.toMatch(/How|sdk_/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("is a new change if its text differs", async () => {
    const { run, keys } = await lineTo(...away, made);
    await run();
    await run([...create, "--sort-order", "2"]);
    expect(keys()).toHaveLength(2);
  });

  it("is a new change a day later, because the server no longer stores the key", async () => {
    const { run, keys } = await lineTo(...away, made);
    await run(create, { now: () => new Date("2026-01-01T00:00:00Z") });
    await run(create, { now: () => new Date("2026-01-01T23:00:00Z") });
    expect(keys()).toHaveLength(2);
  });

  it("does not renew the time of its key when the key is used again", async () => {
    const { run, keys } = await lineTo(...away, ...away, made);
    for (const hour of ["00", "22", "23"]) {
      await run(create, { now: () => new Date(`2026-01-01T${hour}:00:00Z`) });
    }
    expect(keys()).toHaveLength(2);
  });

  it("does not use the key of another running process, so that two commands at the same time are two changes", async () => {
    const { run, keys } = await lineTo(...away, made);
    await run(create, { world: { processId: 7 } });
    await run(create, { isRunning: (processId) => processId === 7 });
    expect(keys()).toHaveLength(2);
  });
});

describe("a stored Idempotency-Key of the command line", () => {
  it("is deleted after an answer, so that the same command is then a new change", async () => {
    const { run, keys, line } = await lineTo(made);
    await run();
    await run();
    expect(keys()).toHaveLength(2);
    expect(await filesIn(line.stateFolder)).toEqual([]);
  });

  it("is not created if a flag has the key", async () => {
    const { run, keys, line } = await lineTo(...away);
    await run([...create, "--idempotency-key", "mine"]);
    expect(keys()).toEqual(["mine"]);
    expect(await filesIn(line.cwd)).toEqual([]);
    await expect(stat(line.stateFolder)).rejects.toThrow();
  });

  it("is replaced if it is damaged", async () => {
    const { run, keys, line } = await lineTo(...away, made);
    await run();
    const [file = ""] = await filesIn(join(line.stateFolder, "pending"));
    await writeFile(file, '{"key":');
    expect((await run()).exit).toBe(0);
    expect(keys()).toHaveLength(2);
  });

  it("is not necessary: the command continues if it cannot store a key", async () => {
    const { run, line } = await lineTo(made);
    await writeFile(join(line.cwd, "file"), "");
    expect((await run(create, { env: { INNKEEP_STATE_DIR: join(line.cwd, "file") } })).exit).toBe(0);
  });
});

describe("the flag --dry-run", () => {
  it("prints the request and does not send it, with a hidden credential", async () => {
    const { run, received } = await lineTo(made);
    const { exit, stdout } = await run([...create, "--dry-run"]);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/api\/v1\/faqs\/remote\n/);
    expect(stdout).toContain("x-api-key: [redacted]\n");
    expect(stdout).toContain('"question": "How?"');
    expect(received).toEqual([]);
  });

  it("prints one object with --json", async () => {
    const { run } = await lineTo(made);
    const ran = await run(["faq", "delete", "7", "--dry-run", "--json"]);
    expect(ran.json()).toEqual({
      dryRun: true,
      method: "DELETE",
      url: expect.stringMatching(/\/api\/v1\/faqs\/remote\/7$/),
      headers: { "x-api-key": "[redacted]" },
      body: null,
    });
  });

  it("needs no credential and asks no question", async () => {
    const line = await createCommandLine();
    const ran = await line.run(["faq", "rm", "7", "--dry-run"], { terminal: true });
    expect(ran).toMatchObject({ exit: 0, stdout: expect.stringContaining("DELETE http://127.0.0.1:4700/") });
  });
});
