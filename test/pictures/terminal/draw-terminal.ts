import { execFileSync, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startBrowser, type TestBrowser } from "../../support/browser/browser.ts";
import { type Scene, scenes } from "./scenes.ts";
import { terminalPage, themes } from "./terminal-html.ts";

const innkeep = new URL("innkeep.cjs", import.meta.url).pathname;

interface Drawing {
  readonly browser: TestBrowser;
  readonly folder: string;
  /** Flags of tmux that set the variables of the commands. */
  readonly environment: readonly string[];
}

/** Draws the pictures of the command line in `folder`: real commands against a demo server, in tmux. */
export async function drawTerminal(folder: string): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), "innkeep-pictures-"));
  const demo = ["serve", "--demo", "--dev", "--port", "4791", "--data", join(place, "data")];
  const server = spawn(process.execPath, [innkeep, ...demo], { stdio: ["ignore", "ignore", "pipe"] });
  const exported = await exportsOf(server.stderr);
  const environment = ["-e", `INNKEEP_CONFIG_DIR=${join(place, "config")}`, ...exported];
  const browser = await startBrowser();
  // tmux ends with its last session, so this session stays open.
  tmux("new-session", "-d", "-s", "stays");
  try {
    await mkdir(folder, { recursive: true });
    for (const scene of scenes)
      for (const columns of [80, 200]) await draw(scene, columns, { browser, folder, environment });
  } finally {
    tmux("kill-server");
    await browser.close();
    server.kill();
    await rm(place, { recursive: true, force: true });
  }
}

async function draw(
  { name, command, shows }: Scene,
  columns: number,
  { browser, folder, environment }: Drawing,
): Promise<void> {
  const session = `innkeep-${name}-${columns}`;
  const program = `innkeep() { '${process.execPath}' '${innkeep}' "$@"; }`;
  const shell = `${program}; clear; printf '$ %s\\n' '${command.replaceAll("'", "'\\''")}'; ${command}; printf '\\n$ '; cat`;
  tmux(
    "new-session",
    "-d",
    "-s",
    session,
    "-x",
    String(columns),
    "-y",
    "45",
    ...environment,
    "sh",
    "-c",
    shell,
  );
  try {
    await shown(session, shows);
    const screen = tmux("capture-pane", "-e", "-p", "-t", session).trimEnd();
    for (const theme of themes) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.setContent(terminalPage(screen, theme));
      await page.locator("pre").screenshot({ path: join(folder, `${name}-${columns}-${theme.name}.png`) });
      await context.close();
    }
  } finally {
    tmux("kill-session", "-t", session);
  }
}

/** Waits until the terminal shows a text. */
async function shown(session: string, text: RegExp): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (text.test(tmux("capture-pane", "-p", "-t", session))) return;
    await sleep(50);
  }
  throw new Error(`${session} does not show ${text}: ${tmux("capture-pane", "-p", "-t", session)}`);
}

function tmux(...words: readonly string[]): string {
  return execFileSync("tmux", ["-L", "innkeep-pictures", "-f", "/dev/null", ...words], { encoding: "utf8" });
}

/** The variables that the demo prints, as flags of tmux. */
async function exportsOf(output: NodeJS.ReadableStream): Promise<string[]> {
  let text = "";
  await new Promise<void>((resolve) => {
    output.on("data", (chunk) => {
      text += String(chunk);
      if (text.includes("claude mcp add")) resolve();
    });
  });
  return [...text.matchAll(/^ {2}export (\w+=\S+)$/gm)].flatMap(([, pair = ""]) => ["-e", pair]);
}
