import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { everyCommand, sampleFor } from "../../support/clients/every-command.ts";
import { listen } from "../../support/network/recording-server.ts";

const env = {
  ...{ INNKEEP_API_KEY: "sdk_a", INNKEEP_AGENT_TOKEN: "sda_a" },
  ...{ INNKEEP_TOKEN: "sdm_a", INNKEEP_DEVICE_TOKEN: "sdt_a" },
};
/** They start a program that writes its own output, or wait for a person on a terminal, which has its own tests. */
const apart = ["serve", "dev", "dev exec", "mcp"];
const screens = ["feedback inbox", "auth login"];
const commands = (await everyCommand()).filter(([words]) => !apart.includes(words));

/** Colours, codes that move the cursor back, changes of direction, invisible characters. */
const bad = "a\u001b[31mb\u009b2K\r\u0008\u202e\u2066\u200b\u200f\ufeff\u00ad\u{e0041}\u0007z";
const forbidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

const texts = [
  ...["id", "name", "subject", "message", "error", "code", "category", "status", "type", "title", "version"],
  ...["body", "question", "answer", "createdAt", "updatedAt", "publishedAt", "activeAt", "consoleUrl"],
  ...["statusUrl", "email", "label", "prefix", "kind", "role", "runId", "decision", "decisionNote", "plan"],
  ...["summary", "key", "token", "url", "appName", "packageName", "targetScreen", "testBrief", "dueBy"],
  ...["slotStatus", "reason", "actor", "action", "worker", "claimId", "direction", "author", "slug"],
  ...["source", "now", "field", "text", "at", "prefix", "nextCursor", "senderName", "slotId", "cycleId"],
];
const lists = ["items", "entries", "tasks", "slots", "listings", "messages", "events", "tags", "proposals"];
const objects = ["feedback", "app", "user", "sender", "entry", "cycle", "slot", "claim", "latestProposal"];
const named = <Value>(names: readonly string[], value: Value) =>
  Object.fromEntries(names.map((name) => [name, value]));
const leaf = { ...named(texts, bad), [bad]: bad, occurrences: bad, sortOrder: bad, images: [bad] };
const node = { ...leaf, messages: [leaf], metadata: { [bad]: bad } };
const whole = { ...node, ...named(objects, node), ...named(lists, [node]) };

const answers: readonly (readonly [string, number, string])[] = [
  ["an object", 200, JSON.stringify(whole)],
  ["a list", 200, JSON.stringify([node])],
  ["a text", 200, bad],
  ["an error", 409, JSON.stringify({ ...leaf, issues: [{ path: bad, message: bad }] })],
  ["a text as an error", 404, bad],
];

/**
 * Returns the output of a command if each request gets this answer. A command that repeats requests endlessly is
 * interrupted.
 */
async function written(
  argv: readonly string[],
  { status, body, terminal }: { readonly status: number; readonly body: string; readonly terminal: boolean },
) {
  const over = new AbortController();
  let asked = 0;
  const headers = { "content-type": "application/json", "x-request-id": "\u009bx", etag: '"\u009b"' };
  const baseUrl = await listen((request, response) => {
    request.resume();
    asked += 1;
    if (asked > 5) over.abort();
    response.writeHead(status, headers).end(body);
  });
  const line = await createCommandLine({ ...env, INNKEEP_BASE_URL: baseUrl });
  const { stdout, stderr } = await line.run(argv, { terminal, signal: over.signal });
  return stdout + stderr;
}

const forms = [
  { form: "in a pipe", flags: ["--debug"], terminal: false },
  { form: "as JSON", flags: ["--json"], terminal: false },
  { form: "on a terminal", flags: ["--no-color"], terminal: true },
];

describe.each(answers)("an answer with %s of a hostile server", (_, status, body) => {
  it.each(forms)(
    "is printed $form without characters that move, turn or hide text",
    async ({ flags, terminal }) => {
      for (const [words, command] of commands) {
        if (terminal && screens.includes(words)) continue;
        const argv = [...words.split(" "), ...sampleFor(command), ...flags];
        const output = await written(argv, { status, body, terminal });
        const at = forbidden.exec(output)?.index;
        expect({
          words,
          found: at === undefined ? "" : JSON.stringify(output.slice(Math.max(0, at - 60), at + 20)),
        }).toEqual({ words, found: "" });
      }
    },
  );
});
