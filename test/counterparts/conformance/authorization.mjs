import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../demo-server.mjs";
import { signInPerson } from "../person.mjs";
import { onNode22 } from "../programs.mjs";

/** Runs the suite for authorization servers. A person signs in to the console and allows what the suite requests. */
export async function checkAuthorization(version, demo, report) {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "innkeep-conformance-"));
  try {
    const clientId = await register(demo.baseUrl, `http://127.0.0.1:${port}/callback`);
    const words = ["authorization", "--url", demo.baseUrl, "--client-id", clientId, "--port", `${port}`];
    const resource = ["--resource", `${demo.baseUrl}/mcp`, "--output-dir", folder];
    const packages = [`@modelcontextprotocol/conformance@${version}`];
    const child = spawn("npx", onNode22(packages, ["conformance", ...words, ...resource]), {
      stdio: ["ignore", "pipe", "ignore"],
      signal: AbortSignal.timeout(120_000),
    });
    const person = await signInPerson(demo);
    for await (const line of createInterface(child.stdout))
      if (line.startsWith(`${demo.baseUrl}/oauth/authorize?`)) await fetch(await person.allow(line));
    for (const [scenario, checks] of await readChecks(folder)) {
      const failed = checks.filter(({ status }) => status !== "SUCCESS");
      report(
        `authorization: ${scenario}`,
        failed.map(({ id, status, errorMessage }) => `${id}: ${status} ${errorMessage}`),
      );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Registers the suite as a program. Returns its id. */
async function register(baseUrl, redirect) {
  const body = JSON.stringify({ client_name: "Conformance", redirect_uris: [redirect] });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${baseUrl}/oauth/register`, { method: "POST", headers, body });
  return (await answer.json()).client_id;
}

async function readChecks(folder) {
  const entries = await readdir(folder);
  const read = async (name) => [
    name.replace(/-\d{4}-\d\d-\d\dT.*$/, ""),
    JSON.parse(await readFile(join(folder, name, "checks.json"), "utf8")),
  ];
  return Promise.all(entries.map(read));
}
