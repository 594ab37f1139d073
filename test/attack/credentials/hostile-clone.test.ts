import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { everyCommand, type Samples, sampleFor } from "../../support/clients/every-command.ts";
import { listen } from "../../support/network/recording-server.ts";

const secrets = {
  INNKEEP_API_KEY: `sdk_${"a".repeat(36)}`,
  INNKEEP_TOKEN: `sdm_${"b".repeat(36)}`,
  INNKEEP_AGENT_TOKEN: `sda_${"c".repeat(36)}`,
  INNKEEP_DEVICE_TOKEN: `sdt_${"d".repeat(36)}`,
  INNKEEP_TEST_KEY: `stk_${"e".repeat(36)}`,
};
const commands = await everyCommand();

/** Arguments that commands accept without a request to the server. */
const samples: Samples = {
  path: "/api/v1/faqs/remote",
  summary: "It crashes.",
  plan: "Mend it.",
  status: "succeeded",
  email: "a@b.example",
  platform: "ios",
  out: "notes",
  "starts-on": "2027-01-01",
  "started-at": "2026-11-01T10:00:00Z",
  "ended-at": "2026-11-01T10:02:00Z",
  file: "data.json",
  command: process.execPath,
  shell: "bash",
  move: "P1D",
  who: "me",
  until: "2027-01-01",
  files: "picture.png",
  key: "server",
  value: "https://other.example",
};
const someId = "019a0000-0000-7000-8000-000000000001";

/** The arguments that a command needs besides its required flags. */
const more: Readonly<Record<string, readonly string[]>> = {
  "feedback send": ["--type", "bug", "--message", "It broke."],
  "feedback edit": ["--status", "archived"],
  "feedback resolve": [
    "--dedupe-key",
    "k",
    "--run-status",
    "success",
    "--dedupe-scope",
    "s",
    "--dedupe-run",
    "7",
  ],
  "view edit": ["--name", "New"],
  "notice set": ["--timezone", "UTC"],
  "faq edit": ["--answer", "New."],
  "faq delete": ["--yes"],
  "changelog create": ["--title", "One", "--version", "1.0.0", "--body", "New."],
  "changelog edit": ["--title", "Two"],
  "changelog delete": ["--yes"],
  "changelog import": ["CHANGELOG.md"],
  "changelog release": ["--version", "1.0.0"],
  "slot rotate-key": [someId],
  "slot decline": ["--yes"],
  "testing slot decline": ["--yes"],
  "slot remove": ["--yes"],
  "testing slot remove": ["--yes"],
  "testing slot rotate-key": ["--yes"],
  "proof submit": [someId, "--image", "picture.png"],
  "session report": ["--screen", "Home", "--screen", "Cart"],
  "testing listing create": listing(),
  "listing create": listing(),
  "testing listing edit": ["--test-brief", "Open it."],
  "listing edit": ["--test-brief", "Open it."],
  "testing cycle cancel": ["--yes"],
  "cycle cancel": ["--yes"],
  "app edit": ["--name", "Larder"],
  "key revoke": ["--yes"],
  "token revoke": [someId, "--yes"],
  export: ["--output", "app.json"],
  "faq diff": ["questions"],
  "faq push": ["questions"],
  "feedback resend": ["--all"],
  "proof resend": ["--all"],
  mcp: ["--check"],
  "agent work": ["--once"],
  init: ["--send"],
};

function listing(): string[] {
  return [
    ...["--package-name", "a.b", "--opt-in-url", "https://a.example", "--test-brief", "Open it."],
    ...["--app-name", "Larder", "--screen", "Home", "--verification-tier", "sdk"],
  ];
}

const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Runs a command in a clone whose innkeep.json names a stranger's server; returns the secrets that arrived there. */
async function secretsSent(words: string, env: Readonly<Record<string, string>>, isKnown = false) {
  const arrived: string[] = [];
  const ended = new AbortController();
  let requests = 0;
  const baseUrl = await listen(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    arrived.push(`${request.url} ${JSON.stringify(request.headers)} ${Buffer.concat(chunks)}`);
    requests += 1;
    if (requests > 10) ended.abort(new Error("enough"));
    response.setHeader("content-type", "application/json");
    const health = { status: "ok", version: "0.0.0" };
    response.end(
      JSON.stringify({ ...health, items: [{ id: someId, name: "Larder" }], entries: [], id: someId }),
    );
  });
  const line = await createCommandLine({ ...secrets, ...env, ...(isKnown && { INNKEEP_BASE_URL: baseUrl }) });
  await writeFile(join(line.cwd, "innkeep.json"), JSON.stringify({ server: baseUrl }));
  await writeFile(join(line.cwd, "CHANGELOG.md"), "## [1.0.0] - 2026-01-01\n\n### Added\n\n- One\n");
  await writeFile(join(line.cwd, "data.json"), "{}");
  await mkdir(join(line.cwd, "questions"));
  await writeFile(join(line.cwd, "questions", "one.md"), "---\nquestion: One?\n---\n\nYes.\n");
  await writeFile(join(line.cwd, "picture.png"), picture);
  const [, command] = commands.find(([name]) => name === words) ?? [];
  if (!command) throw new Error(`There is no command ${words}.`);
  const programs = {
    serve: async () => 0,
    admin: async () => ({}),
    mcp: async () => 0,
    devExec: async () => 0,
  };
  const argv = [...words.split(" "), ...sampleFor(command, samples, someId), ...(more[words] ?? [])];
  const ran = await line.run(argv, {
    signal: ended.signal,
    stdin: secrets.INNKEEP_API_KEY,
    world: { programs, transport: undefined },
  });
  const all = arrived.join("\n");
  return { ran, sent: Object.values(secrets).filter((secret) => all.includes(secret)) };
}

/** These send no credential: they work on this machine, start a program, need a terminal, or have nothing to send here. */
const local =
  /^(serve|dev|admin|config|completion|help|open|import|auth (login|set|token|logout)|feedback inbox|(feedback|proof) (discard|resend))\b/;

describe.each([
  ["outside of CI", {}],
  ["in a CI job", { CI: "true", GITHUB_ACTIONS: "true" }],
])("in a clone whose innkeep.json names the server of a stranger, %s,", (_, env) => {
  it.each(commands)("the command innkeep %s sends that server no secret", async (words) => {
    const { sent } = await secretsSent(words, env);
    expect(sent).toEqual([]);
  });
});

describe("with a server that the person names,", () => {
  it.each(commands.filter(([words]) => !local.test(words)))(
    "the same command innkeep %s sends that server a secret",
    async (words) => {
      const { ran, sent } = await secretsSent(words, {}, true);
      expect(sent, ran.stderr).not.toEqual([]);
    },
  );
});
