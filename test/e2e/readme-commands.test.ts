import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fieldsOf, formOf } from "../support/browser/browser-without-scripts.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeepPath } from "../support/programs/built-program.ts";
import { hasScript, pasted } from "../support/programs/pasted-command.ts";
import { request } from "../support/service/request.ts";

const root = new URL("../..", import.meta.url).pathname;
const idLike = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const idOrStart = /\b[0-9a-f]{8}(?:-[0-9a-f]+)*\b/g;

/** A checkout as `git clone` creates it, and the built program on the PATH. */
async function freshClone() {
  const folder = await temporaryFolder();
  const checkout = join(folder, "innkeep");
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", root, checkout]);
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "innkeep"), `#!/bin/sh\nexec "${process.execPath}" "${innkeepPath}" "$@"\n`);
  await chmod(join(bin, "innkeep"), 0o755);
  return { folder, checkout, bin };
}

/** The demo as `npm start` starts it, on any port, and what it prints. */
async function startDemo(cwd: string, home: string) {
  const child = spawn(process.execPath, [innkeepPath, "serve", "--demo", "--port", "0"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home },
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  });
  let told = "";
  for await (const text of child.stderr.setEncoding("utf8")) {
    told += text;
    if (told.includes("claude mcp add")) break;
  }
  child.stderr.resume();
  const exported = [...told.matchAll(/^ {2}export (\w+)=(\S+)$/gm)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);
  const [, password = ""] = /^ {2}Password +(\S+)$/m.exec(told) ?? [];
  const [, owner = ""] = /^ {2}Sign in with +(\S+)$/m.exec(told) ?? [];
  return { env: Object.fromEntries(exported), password, owner };
}

/** The session of a person of the demo, in a browser. */
async function signedIn(baseUrl: string, email: string, password: string) {
  const answer = await fetch(`${baseUrl}/api/v1/console/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: baseUrl },
    body: JSON.stringify({ email, password }),
  });
  expect(answer.status).toBe(201);
  return {
    cookie: answer.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; "),
    origin: baseUrl,
  };
}

interface Shown {
  readonly command: string;
  readonly output: string;
}

/** The commands of the README in order, each with the output that the README shows. */
function commandsOf(readme: string): readonly Shown[] {
  const blocks = [...readme.matchAll(/^```console\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = "", ...output] = part.split("\n");
        return { command, output: output.join("\n") };
      }),
  );
}

it.skipIf(!hasScript)(
  "the commands of the README work if a person copies them in order into a terminal, in a new clone",
  async () => {
    const { folder, checkout, bin } = await freshClone();
    const { env: exported, owner, password } = await startDemo(checkout, folder);
    const { INNKEEP_BASE_URL: baseUrl = "", INNKEEP_DEVICE_TOKEN: _, ...keys } = exported;
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: folder,
      TERM: "xterm",
      INNKEEP_BASE_URL: baseUrl,
      ...keys,
    };
    const maintainer = await signedIn(baseUrl, owner, password);
    const tester = await signedIn(baseUrl, "priya@testers.example", password);
    const actual = new Map<string, string>();
    let last = "";
    for (const { command, output } of commandsOf(await readFile(join(checkout, "README.md"), "utf8"))) {
      // An id of the README is replaced by the id of this demo.
      const line = command.replace(idLike, (id) => {
        const known = actual.get(id) ?? idFor(command, last);
        actual.set(id, known);
        return known;
      });
      let isDone = false;
      const act = async (shown: string) => {
        const [url] = /http\S+authorize\S+/.exec(shown) ?? [];
        const waits = shown.includes("Waiting for");
        if (isDone || !waits) return;
        isDone = true;
        if (url) await approve(url, baseUrl, tester);
        else await decide(line, baseUrl, maintainer);
      };
      const { code, shown } = await pasted(line, { cwd: checkout, env, onOutput: (text) => void act(text) });
      expect({ line, code, shown }).toMatchObject({ code: 0 });
      const [before = [], now = []] = [output.match(idLike) ?? [], shown.match(idLike) ?? []];
      for (const [at, id] of before.entries()) if (!actual.has(id) && now[at]) actual.set(id, now[at]);
      last = shown;
    }
    expect(actual.size).toBeGreaterThan(4);
  },
  180_000,
);

/** The id that a person would take from the output before: a requested slot, or the first in the list. */
function idFor(command: string, last: string): string {
  const from = command.includes("slot accept") ? last.indexOf("requested") : 0;
  return last.slice(from).match(idOrStart)?.[0] ?? "";
}

async function approve(url: string, baseUrl: string, person: Record<string, string>): Promise<void> {
  const browser = { accept: "text/html", ...person };
  const page = await request(baseUrl, "GET", url.slice(baseUrl.length), { headers: browser });
  const fields = { ...fieldsOf(formOf(page, "/tavern/authorize")), decision: "approve" };
  const headers = { ...browser, "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams(fields).toString();
  await request(baseUrl, "POST", "/tavern/authorize", { headers, body });
}

async function decide(line: string, baseUrl: string, person: Record<string, string>): Promise<void> {
  const [runId = ""] = line.match(idLike) ?? [];
  await fetch(`${baseUrl}/api/v1/console/runs/${runId}/decision`, {
    method: "POST",
    headers: { "content-type": "application/json", ...person },
    body: JSON.stringify({ decision: "approve", note: "Only on Android." }),
  });
}
