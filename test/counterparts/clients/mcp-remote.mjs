import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { startBrowser } from "../browser.mjs";
import { onNode22 } from "../programs.mjs";

const timeout = 120_000;

/**
 * mcp-remote connects a client over standard input with a server over HTTP. A person signs in and allows it in a real
 * browser. At the next start it has its tokens and opens no browser. If the server no longer has its registration, it
 * registers again.
 */
export async function checkMcpRemote({ home, env, demo }, report) {
  const opener = await makeOpener(home);
  const starting = { cwd: home, env: { ...env, ...opener.env }, demo };
  const listWithPerson = async () => {
    const allowed = allowInBrowser(opener, demo).then(
      () => [],
      (error) => [`${error}`],
    );
    return (await Promise.all([listTools(starting), allowed])).flat();
  };
  report("mcp-remote, which a person allows in a browser", await listWithPerson());
  await opener.forget();
  const again = await listTools(starting);
  const opened = (await opener.opened()) === undefined ? [] : ["It opened a browser again."];
  report("mcp-remote with the tokens that it kept", [...again, ...opened]);
  await makeUnknown(join(home, ".mcp-auth"));
  report("mcp-remote, which the server has forgotten", await listWithPerson());
}

/** Changes the stored data of mcp-remote, so that its registration and its tokens are no longer valid. */
async function makeUnknown(folder) {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith(".json")) continue;
    const text = await readFile(join(folder, name), "utf8");
    await writeFile(
      join(folder, name),
      text.replace(/"(client_id|access_token|refresh_token)":(\s*)"/g, '"$1":$2"forgotten-'),
    );
  }
}

/** A program that replaces the browser. It only writes the address into a file. */
async function makeOpener(home) {
  const folder = join(home, "bin");
  const file = join(home, "address");
  const program = join(folder, "xdg-open");
  await mkdir(folder);
  await writeFile(program, `#!/bin/sh\nprintf '%s' "$1" > '${file}.new' && mv '${file}.new' '${file}'\n`, {
    mode: 0o755,
  });
  return {
    env: { BROWSER: program, PATH: `${folder}:${process.env.PATH}` },
    opened: () => readFile(file, "utf8").catch(() => undefined),
    forget: () => rm(file, { force: true }),
  };
}

async function allowInBrowser(opener, { demo: { email, password } }) {
  const address = await addressFrom(opener);
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(address);
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    const back = new URL(new URL(address).searchParams.get("redirect_uri"));
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL((url) => url.host === back.host && url.searchParams.has("code"));
  } finally {
    await browser.close();
  }
}

async function addressFrom(opener) {
  for (const until = Date.now() + timeout; Date.now() < until; await wait(100)) {
    const address = await opener.opened();
    if (address !== undefined) return address;
  }
  throw new Error("It opened no browser.");
}

/** Connects a client through mcp-remote. Returns what is wrong. */
async function listTools({ cwd, env, demo }) {
  const words = ["mcp-remote", `${demo.baseUrl}/mcp`, "--auth-timeout", "120"];
  const args = onNode22(["mcp-remote@0.15.1"], words);
  const transport = new StdioClientTransport({ command: "npx", args, cwd, env, stderr: "pipe" });
  const told = [];
  transport.stderr.on("data", (chunk) => told.push(chunk));
  const client = new Client({ name: "innkeep-clients", version: "1" });
  try {
    await client.connect(transport, { timeout });
    const names = (await client.listTools(undefined, { timeout })).tools.map(({ name }) => name);
    return names.includes("propose_plan") ? [] : [`tools: ${names.join(" ")}`];
  } catch (error) {
    return [`${error}`, Buffer.concat(told).toString().slice(-2_000)];
  } finally {
    await client.close();
  }
}
