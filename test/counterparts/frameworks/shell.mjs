import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { innkeep } from "../demo-server.mjs";
import { signInPerson } from "../person.mjs";
import { run } from "../programs.mjs";

const proposal = { summary: "The kettle is null.", plan: "1. Check the kettle." };

/**
 * Runs the loop of the shell and the steps of the workflow, with the built program as `innkeep`, and with a program
 * that records its input in place of an agent.
 */
export async function checkShell(folder, demo, report) {
  const person = await signInPerson(demo);
  const world = { folder, demo, person, environment: await environmentOf(folder, demo, person) };
  for (const decision of ["approve", "reject"])
    report(`the loop of the shell: ${decision}`, await loopFaults(world, decision));
  for (const decision of ["approve", "reject"])
    report(`the workflow for GitHub: ${decision}`, await workflowFaults(world, decision));
}

/** A folder with fake programs, first in the PATH. The fake `npm` installs nothing; the fake `npx` starts the agent. */
async function environmentOf(folder, demo, person) {
  const bin = join(folder, "bin");
  const programs = {
    innkeep: `exec ${process.execPath} ${innkeep} "$@"`,
    npm: "exit 0",
    npx: 'cat > "$KEPT"',
    worker: 'cat > "$KEPT"',
  };
  await mkdir(bin);
  for (const [name, line] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${line}\n`);
    await chmod(join(bin, name), 0o755);
  }
  const own = { INNKEEP_BASE_URL: demo.baseUrl, INNKEEP_AGENT_TOKEN: await person.workToken() };
  return { PATH: `${bin}:${process.env.PATH}`, HOME: folder, RUNNER_TEMP: folder, ...own };
}

async function loopFaults({ folder, demo, person, environment }, decision) {
  const id = await propose(demo);
  const kept = join(folder, `${decision}-loop.json`);
  const words = [join(folder, "work-when-approved.sh"), id, "worker"];
  const looping = run("sh", words, { env: { ...environment, KEPT: kept } });
  await person.decide(id, decision, "Go on.");
  const { code, stdout, stderr } = await looping;
  const wanted = decision === "approve" ? 0 : 9;
  const faults = code === wanted ? [] : [`exit ${code}, ${stdout}${stderr}`];
  return [...faults, ...(await workFaults({ demo, id, kept, approved: decision === "approve" }))];
}

async function workflowFaults({ folder, demo, person, environment }, decision) {
  const { jobs } = parse(await readFile(join(folder, "agent.yml"), "utf8"));
  const id = await propose(demo);
  await person.decide(id, decision, "Go on.");
  const kept = join(folder, `${decision}-workflow.json`);
  const outputs = join(folder, `${decision}-outputs`);
  await writeFile(outputs, "");
  const github = { GITHUB_OUTPUT: outputs, GITHUB_RUN_ID: id, GITHUB_SERVER_URL: "https://github.com" };
  const env = { ...environment, ...github, GITHUB_REPOSITORY: "a/b", KEPT: kept, STATUS: "succeeded" };
  const faults = await stepFaults(jobs.claim.steps, env);
  const claimed = Object.fromEntries(
    (await readFile(outputs, "utf8"))
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split("=")),
  );
  if (claimed.claim)
    faults.push(...(await stepFaults(jobs.agent.steps, { ...env, RUN: claimed.run, CLAIM: claimed.claim })));
  return [...faults, ...(await workFaults({ demo, id, kept, approved: decision === "approve" }))];
}

async function stepFaults(steps, env) {
  const faults = [];
  for (const { run: line } of steps.filter((step) => step.run)) {
    const { code, stdout, stderr } = await run("bash", ["-eo", "pipefail", "-c", line], { env });
    if (code !== 0) faults.push(`exit ${code}, ${stdout}${stderr}`);
  }
  return faults;
}

/** Whether the worker got the approved plan and its outcome is stored, or neither of both after a rejection. */
async function workFaults({ demo, id, kept, approved }) {
  const got = await readFile(kept, "utf8").then(JSON.parse, () => undefined);
  const { outcome } = await ask(demo, `/api/v1/agent/runs/${id}`);
  if (!approved) return got || outcome ? [`work after a rejection: ${JSON.stringify([got, outcome])}`] : [];
  const well =
    got?.plan === proposal.plan && got.decisionNote === "Go on." && outcome?.status === "succeeded";
  return well ? [] : [`the worker got ${JSON.stringify(got)}, the outcome is ${JSON.stringify(outcome)}`];
}

/** Reports a fault and proposes a plan. Returns the id of the proposal. */
async function propose(demo) {
  const report = { type: "bug", message: `The kettle leaks: ${crypto.randomUUID()}` };
  const headers = { "x-api-key": demo.demo.apiKey };
  const { id } = await ask(demo, "/api/v1/feedback/remote", report, headers);
  return (await ask(demo, `/api/v1/agent/feedback/${id}/proposal`, proposal)).runId;
}

async function ask({ baseUrl, demo }, path, body, headers = { authorization: `Bearer ${demo.agentToken}` }) {
  const sending = body && { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(baseUrl + path, {
    ...sending,
    headers: { "content-type": "application/json", ...headers },
  });
  return answer.json();
}
