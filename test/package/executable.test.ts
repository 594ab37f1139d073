import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Version } from "@cyclonedx/cyclonedx-library/Spec";
import { JsonStrictValidator } from "@cyclonedx/cyclonedx-library/Validation";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { removableFolder } from "../support/files/temporary-folder.ts";
import { answers, startRecordingServer } from "../support/network/recording-server.ts";
import { startInnkeep } from "../support/programs/built-program.ts";

const root = join(import.meta.dirname, "..", "..");
const Bill = z.object({
  components: z.array(z.object({ group: z.string().optional(), name: z.string(), version: z.string() })),
});
const stopping: (() => Promise<void>)[] = [];
let file = "";
let home = "";
let server: { readonly baseUrl: string; readonly demo: Readonly<Record<string, string>> };

beforeAll(async () => {
  const folder = await removableFolder();
  stopping.push(folder.remove);
  await promisify(execFile)(process.execPath, ["build/executable.mjs", folder.path], { cwd: root });
  file = join(folder.path, process.platform === "win32" ? "innkeep.exe" : "innkeep");
  home = join(folder.path, "home");
  await mkdir(home);
  const { ready, kill } = await startInnkeep(["--demo", "--port", "0", "--data", join(folder.path, "data")]);
  stopping.unshift(kill);
  server = ready;
});

afterAll(async () => {
  for (const stop of stopping) await stop();
});

/** Runs the executable where there is no Node, in an empty home, with only the variables of a CI job. */
async function run(words: readonly string[], { env = {}, input = "" } = {}) {
  const child = spawn(file, words, { cwd: home, env: { PATH: "/nowhere", HOME: home, ...env } });
  const output = [child.stdout.toArray(), child.stderr.toArray()];
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [code] = await once(child, "close");
  const [stdout = "", stderr = ""] = (await Promise.all(output)).map((chunks) =>
    Buffer.concat(chunks).toString(),
  );
  return { code, stdout, stderr };
}

const job = () => ({
  INNKEEP_BASE_URL: server.baseUrl,
  INNKEEP_API_KEY: server.demo.apiKey ?? "",
  INNKEEP_TOKEN: server.demo.maintainerToken ?? "",
  INNKEEP_AGENT_TOKEN: server.demo.agentToken ?? "",
});

describe("the executable file", () => {
  it("has in its folder the notices of Node and of its packages, and a bill of materials with the same packages", async () => {
    const [notices, bill] = await Promise.all(
      ["THIRD-PARTY-NOTICES.txt", "sbom.cdx.json"].map((name) => readFile(join(file, "..", name), "utf8")),
    );
    expect(await new JsonStrictValidator(Version.v1dot6).validate(bill ?? "")).toBeNull();
    const { components } = Bill.parse(JSON.parse(bill ?? ""));
    const [node, ...packages] = components.map(({ group, name, version }) => ({
      name: group ? `${group}/${name}` : name,
      version,
    }));
    expect(node).toEqual({ name: "node", version: process.versions.node });
    expect(notices).toMatch(`Node.js ${process.versions.node} (MIT`);
    expect(packages.length).toBeGreaterThan(20);
    for (const { name, version } of packages) expect(notices).toContain(`\n${name} ${version} (`);
  });

  it("is one file that is at most 3 MB larger than Node", async () => {
    const [its, ofNode] = await Promise.all([stat(file), stat(process.execPath)]);
    expect(its.size - ofNode.size).toBeLessThan(3_000_000);
    const beside = await readdir(join(file, ".."));
    expect(beside.filter((name) => /\.(c?js|blob|json)$/.test(name))).toEqual(["sbom.cdx.json"]);
  });

  it("prints its version and its help without any environment variable", async () => {
    expect(await run(["--version"])).toMatchObject({ code: 0, stderr: "" });
    expect((await run(["help"])).stdout).toContain("Usage: innkeep <command> [flags]");
    expect(await run(["faq", "list"])).toMatchObject({ code: 4 });
  });

  it("sends feedback with a file, and reads it", async () => {
    await writeFile(join(home, "job.log"), "line 1\nline 2\n");
    const words = [
      "feedback",
      "send",
      "--type",
      "bug",
      "--subject",
      "Lost",
      "--message",
      "The photo is lost.",
    ];
    const sent = await run([...words, "--attach", "job.log", "--json"], { env: job() });
    expect(sent).toMatchObject({ code: 0 });
    const listed = await run(["feedback", "list", "--json"], { env: job() });
    expect(listed.stdout).toContain("Lost");
  });

  it("contains every part that the package loads later", async () => {
    const notes = "# Changelog\n\n## 9.9.9 - 2026-01-02\n\n### Added\n\n- A thing.\n";
    const imported = await run(["changelog", "import", "-", "--dry-run"], { env: job(), input: notes });
    expect(imported.stdout + imported.stderr).toContain("9.9.9");
    const pulled = await run(["faq", "pull", join(home, "faq")], { env: job() });
    expect(pulled).toMatchObject({ code: 0 });
    expect((await readdir(join(home, "faq"))).length).toBeGreaterThan(0);
    const proxy = await startRecordingServer(answers(404, { error: "Asked the proxy.", code: "not_found" }));
    const env = { ...job(), INNKEEP_BASE_URL: "http://inn.example", HTTP_PROXY: proxy.baseUrl };
    expect((await run(["faq", "list"], { env })).stderr).toContain("Asked the proxy.");
  });

  it("keeps credentials in a file that only the user can read, without a keychain", async () => {
    const env = { INNKEEP_BASE_URL: server.baseUrl };
    const stored = await run(["auth", "set", "api-key"], { env, input: `${server.demo.apiKey}\n` });
    expect(stored).toMatchObject({ code: 0 });
    expect(await run(["faq", "list"], { env })).toMatchObject({ code: 0 });
  });

  it("works as an MCP server", async () => {
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    const messages = [
      { jsonrpc: "2.0", id: 1, method: "initialize", params },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/list" },
      { jsonrpc: "2.0", id: 3, method: "ping" },
    ];
    const input = messages.map((message) => `${JSON.stringify(message)}\n`).join("");
    const { code, stdout } = await run(["mcp"], { env: job(), input });
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(lines[1].result.tools).toHaveLength(4);
  });

  it.each([[["serve"]], [["admin", "check"]], [["dev", "exec", "--", "true"]]])(
    "says in one sentence that it contains no server: %j",
    async (words) => {
      expect(await run(words)).toEqual({
        code: 1,
        stdout: "",
        stderr:
          "error: This executable does not contain the server. It has the client's commands and `mcp`.\n" +
          "Install the package with npm to run `serve`, `dev` or `admin`.\n",
      });
    },
  );
});
