import { readdir } from "node:fs/promises";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { listen } from "../../support/network/recording-server.ts";
import { innkeepPath } from "../../support/programs/built-program.ts";
import { hasTmux, startOnTerminal } from "../../support/programs/terminal.ts";

const where = hasTmux ? "a real terminal" : "no terminal, because tmux is not installed here";
const id = "01a1fda4-237d-759b-ad89-7cf5663516dc";

/** Starts a command in an empty folder, with a server that knows one FAQ entry. */
async function start(...argv: readonly string[]) {
  const folder = await temporaryFolder();
  const requests: string[] = [];
  const baseUrl = await listen(({ method, url }, response) => {
    requests.push(`${method} ${url}`);
    const isEntries = method === "GET" && url?.endsWith("faqs/remote");
    response.end(JSON.stringify(isEntries ? [{ id, question: "Q?", answer: "A.", sortOrder: 0 }] : {}));
  });
  const env = { HOME: folder, INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: "sdk_a" };
  const program = ["sh", "-c", 'cd "$HOME" && exec "$@"', "sh", process.execPath, innkeepPath, ...argv];
  return { folder, requests, terminal: startOnTerminal(program, env) };
}

it.each([
  [["feedback", "send"], "Number or name:", "--message is missing"],
  [["faq", "create"], ">", "--answer is missing"],
  [["faq", "view"], "Number or name:", "<id> is missing"],
  [["faq", "delete", id], "[y/N]", "error: Nothing was changed."],
  [["auth", "set", "api-key"], "The app key:", "error: The input ended"],
  [["auth", "login", "--paste"], "Code, if the page shows one:", "error: The input ended"],
  [["init"], "Which app do", "error: The input ended"],
  [["admin", "user", "create", "--email", "a@example.org"], "Password:", "error: The input ended"],
  [["admin", "secret", "reset"], "[y/N]", "error: Nothing was changed."],
])(
  `Ctrl-D at a question of %j ends the command with a usage error, on ${where}`,
  async (argv, question, message) => {
    if (!hasTmux) return;
    const { folder, requests, terminal } = await start(...argv);
    await terminal.shows(question);
    terminal.press("C-d");
    await terminal.shows("ended with 2");
    expect(terminal.screen()).toMatch(new RegExp(`^ *${message}`, "m"));
    expect(requests.filter((request) => request.startsWith("DELETE"))).toEqual([]);
    expect(await readdir(folder)).not.toContain("innkeep.json");
  },
);
