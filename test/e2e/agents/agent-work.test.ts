import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { innkeep, innkeepPath, innkeepServe } from "../../support/programs/built-program.ts";

let folder = "";
let baseUrl = "";
let environment: Record<string, string>;
let cookie = "";
let threadId = "";

beforeEach(async () => {
  folder = await temporaryFolder();
  const data = join(folder, "data");
  const { ready } = await innkeepServe(["--port", "0", "--demo", "--data", data]);
  baseUrl = ready.baseUrl;
  threadId = ready.demo.threadId;
  const home = { HOME: folder, PATH: process.env.PATH ?? "", INNKEEP_BASE_URL: baseUrl };
  const owner = ["--owner", ready.demo.email, "--kind", "agent", "--scope", "runs:work"];
  const made = await innkeep(["admin", "token", "create", ...owner, "--data", data, "--json"], { env: home });
  environment = { ...home, INNKEEP_AGENT_TOKEN: JSON.parse(made.stdout).token };
  const answer = await post("/api/v1/console/session", ready.demo);
  cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
});

const post = (path: string, body: object) =>
  fetch(baseUrl + path, {
    method: "POST",
    headers: { "content-type": "application/json", origin: baseUrl, cookie },
    body: JSON.stringify(body),
  });

async function approved(): Promise<string> {
  const words = ["agent", "propose", threadId, "--summary", "S", "--plan", "The plan."];
  const { stdout } = await innkeep(words, { env: environment });
  const runId = stdout.trim();
  expect((await post(`/api/v1/console/runs/${runId}/decision`, { decision: "approve" })).status).toBe(200);
  return runId;
}

const read = async (runId: string) =>
  JSON.parse((await innkeep(["agent", "run", runId, "--json"], { env: environment })).stdout);

/** A worker whose command records its process id and the plan, and then waits for a signal or a line in a file. */
function startWorker(script: string): ChildProcess {
  const words = ["agent", "work", "--once", "--worker", "nightly", "--", "sh", "-c", script];
  const child = spawn(process.execPath, [innkeepPath, ...words], { env: environment, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const noted = () => readFile(join(folder, "noted"), "utf8").catch(() => "");
const inFolder = (name: string) => `"$HOME/${name}"`;

describe("the command agent work in a shell", () => {
  it("passes a signal to the program, and reports the end that the program chooses", async () => {
    const runId = await approved();
    const child = startWorker(
      `trap 'echo stopped >> ${inFolder("noted")}; exit 7' TERM; echo ready > ${inFolder("noted")}; while :; do sleep 0.05; done`,
    );
    await expect.poll(noted).toContain("ready");
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code).toBe(130);
    expect(await noted()).toBe("ready\nstopped\n");
    expect((await read(runId)).outcome).toMatchObject({
      status: "failed",
      summary: "The command ended with exit code 7.",
    });
  });

  it("keeps its claim if it is killed, and resumes the claim with its name", async () => {
    const runId = await approved();
    const script = `cat "$INNKEEP_PLAN_FILE" >> ${inFolder("noted")}; echo " $$ \${INNKEEP_AGENT_TOKEN-none}" >> ${inFolder("noted")}; test -e ${inFolder("go")} || exec sleep 60`;
    const first = startWorker(script);
    await expect.poll(noted).toMatch(/none\n/);
    first.kill("SIGKILL");
    await once(first, "exit");
    process.kill(Number((await noted()).split(" ")[2]), "SIGKILL");
    expect(await read(runId)).toMatchObject({
      claim: { worker: expect.stringMatching(/^nightly-/) },
      outcome: null,
    });

    const second = startWorker(`touch ${inFolder("go")}; ${script}`);
    const [code] = await once(second, "exit");
    expect(code).toBe(0);
    expect(await noted()).toMatch(/^The plan\. \d+ none\nThe plan\. \d+ none\n$/);
    expect((await read(runId)).outcome).toMatchObject({ status: "succeeded" });
  });

  it("refuses a second process with its name, and a start while an earlier program is still running (rule L74)", async () => {
    const runId = await approved();
    const script = `echo "$$" >> ${inFolder("noted")}; test -e ${inFolder("go")} || exec sleep 60`;
    const words = ["agent", "work", "--once", "--worker", "nightly", "--", "sh", "-c", script];
    const again = () => innkeep(words, { env: environment });
    const first = startWorker(script);
    await expect.poll(noted).toMatch(/\d\n/);
    const command = Number(await noted());

    expect(await again()).toMatchObject({
      code: 7,
      stderr: expect.stringContaining("A worker with the name nightly runs on this machine already."),
    });
    first.kill("SIGKILL");
    await once(first, "exit");
    expect(await again()).toMatchObject({
      code: 7,
      stderr: expect.stringContaining(`is still running, as process ${command}.`),
    });
    process.kill(command, "SIGKILL");
    await writeFile(join(folder, "go"), "");
    const ended = await again();
    expect(ended.code).toBe(0);
    expect((await noted()).trim().split("\n")).toHaveLength(2);
    expect((await read(runId)).outcome).toMatchObject({ status: "succeeded" });
  });
});
