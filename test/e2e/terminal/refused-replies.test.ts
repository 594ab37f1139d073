import { expect, it } from "vitest";
import { summary, thread } from "../../cli/inbox/inbox-screen.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { listen } from "../../support/network/recording-server.ts";
import { innkeepPath } from "../../support/programs/built-program.ts";
import { hasTmux, startOnTerminal } from "../../support/programs/terminal.ts";

const where = hasTmux ? "a real terminal" : "no terminal, because tmux is not installed here";
const app = "0197b3a0-0000-7000-8000-00000000000a";

/** An inbox whose server answers replies with the prepared answers, the last one repeatedly. */
async function inboxWith(
  ...prepared: readonly [status: number, headers: Record<string, string>, body: object][]
) {
  let asked = 0;
  const baseUrl = await listen((request, response) => {
    const [status, headers, body] = answerTo(request.url ?? "", request.method ?? "");
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  });
  const answerTo = (url: string, method: string): (typeof prepared)[number] => {
    if (method === "POST") return prepared[Math.min(asked++, prepared.length - 1)] ?? [500, {}, {}];
    if (url.includes(app)) return [200, {}, { items: [summary(0), summary(1)], nextCursor: null }];
    return [200, {}, thread("t0")];
  };
  const env = {
    INNKEEP_BASE_URL: baseUrl,
    INNKEEP_TOKEN: "sdm_a",
    INNKEEP_APP: app,
    HOME: await temporaryFolder(),
  };
  return startOnTerminal([process.execPath, innkeepPath, "feedback", "inbox"], env);
}

const isSent: [number, Record<string, string>, object] = [
  201,
  {},
  { id: "m", direction: "outbound", body: "Hi", createdAt: "2026-11-21T10:00:00.000Z" },
];

it(`a reply that the server delays is sent later, and the screen says so, on ${where}`, async () => {
  if (!hasTmux) return;
  const limited = { error: "Too many requests.", code: "rate_limited" };
  const terminal = await inboxWith([429, { "retry-after": "2" }, limited], isSent);
  await reply(terminal);
  await terminal.shows("Trying again in 2 s, as the server asks.");
  expect(terminal.screen()).toMatch(/^ ?1 of 2/);
  await terminal.shows("The reply was added.");
  expect(terminal.screen()).not.toContain("Trying again");
});

it.each([
  [401, { error: "This token is not valid.", code: "invalid_token" }, "This token is not valid."],
  [422, { error: "The thread is closed.", code: "wrong_state" }, "The thread is closed."],
])(
  `a reply that the server answers with %i is kept on the screen and in the terminal, on ${where}`,
  async (status, body, text) => {
    if (!hasTmux) return;
    const terminal = await inboxWith([status, {}, body]);
    await reply(terminal);
    await terminal.shows(text);
    await terminal.shows("Thanks_");
    terminal.press("C-c");
    await terminal.shows("This was not sent:");
    expect(terminal.screen()).toContain("Thanks");
  },
);

async function reply(terminal: ReturnType<typeof startOnTerminal>): Promise<void> {
  await terminal.shows("2 in the inbox");
  terminal.press("r");
  await terminal.shows("Reply to the sender");
  await terminal.shows("1 of 2");
  terminal.press("Thanks", "Enter");
  await terminal.shows("Enter sends it");
  terminal.press("Enter");
}
