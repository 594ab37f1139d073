import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { type Service, startService } from "../../support/service/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const answer = "# Syncing\r\n\r\n\tTap *Sync* twice.\n\n> Grüße, “sync” \\n 日本 🍞\n- one\n- two";

async function entry() {
  const app = await service.makeApp(await service.makeUser());
  const line = await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_API_KEY: app.key });
  const made = await line.run(["faq", "create", "--question", "How?", "--answer", "-", "--json"], {
    stdin: answer,
  });
  return { app, line, id: String(Object(made.json()).id) };
}

describe("the flag --raw", () => {
  it("prints a field byte for byte, so that the same text is stored if it is sent back", async () => {
    const { line, id } = await entry();
    const { stdout } = await line.run(["faq", "view", id, "--raw", "answer"]);
    expect(stdout).toBe(answer);
    await writeFile(join(line.cwd, "a.md"), stdout);
    expect((await line.run(["faq", "edit", id, "--answer", "@a.md"])).exit).toBe(0);
    expect((await line.run(["faq", "view", id, "--raw", "answer"])).stdout).toBe(answer);
  });

  it("also prints numbers", async () => {
    const { line, id } = await entry();
    expect((await line.run(["faq", "view", id, "--raw", "sortOrder"])).stdout).toMatch(/^\d+$/);
  });

  it.each([
    [
      ["--raw", "nothing"],
      "There is no field `nothing`.\n--raw takes one of: id, question, answer, sortOrder",
    ],
    [["--raw", "answer", "--json"], "--raw prints one field as it is."],
    [["--raw", "answer", "--fields", "id"], "--raw prints one field as it is."],
  ])("rejects %j", async (flags, message) => {
    const { line, id } = await entry();
    const ran = await line.run(["faq", "view", id, ...flags]);
    expect(ran).toMatchObject({ exit: 2, stdout: "", stderr: expect.stringContaining(message) });
  });

  it("does not change the cursor of a terminal", async () => {
    const { app, line, id } = await entry();
    // The command line removes control characters from the texts that it sends. Other clients do not.
    const headers = { "x-api-key": app.key };
    const body = { answer: "\u001b[2Jgone" };
    expect((await service.request("PATCH", `/api/v1/faqs/remote/${id}`, { headers, body })).status).toBe(200);
    expect((await line.run(["faq", "view", id, "--raw", "answer"])).stdout).toBe("\u001b[2Jgone");
    expect((await line.run(["faq", "view", id, "--raw", "answer"], { terminal: true })).stdout).toBe(
      "[2Jgone\n",
    );
  });
});

describe("standard input", () => {
  it("can be the value of one flag only", async () => {
    const { line } = await entry();
    const ran = await line.run(["faq", "create", "--question", "-", "--answer", "-"], { stdin: "text" });
    expect(ran).toMatchObject({
      exit: 2,
      stderr: "error: --answer: standard input can be read once, and --question reads it.\n",
    });
    const key = await line.run(["faq", "create", "--question", "-", "--answer", "A", "--api-key-file", "-"]);
    expect(key.stderr).toContain("--api-key-file: standard input can be read once, and --question reads it.");
  });
});
