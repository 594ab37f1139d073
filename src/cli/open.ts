import type { Command } from "commander";
import { CliError } from "./core/cli-error.ts";
import { addExamples, commandAction, type Setup } from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
import { note, printOne } from "./core/output.ts";
import { consoleAddress } from "./core/settings.ts";

export function addOpen(open: Command, setup: Setup): void {
  open
    .argument("[thread]", "id of a feedback thread; default: the first page of the console")
    .addHelpText("after", "\nThe address is always printed. Without a terminal no browser is opened.");
  addExamples(open, "innkeep open", "innkeep open 01a1fda4-237d-759b-ad89-7cf5663516dc");
  commandAction<object, string | undefined>(open, setup, openPage);
}

async function openPage(invocation: Invocation, _: object, thread: string | undefined): Promise<undefined> {
  const { context } = invocation;
  const url = thread === undefined ? consoleAddress(invocation) : await threadAddress(invocation, thread);
  printOne(invocation, { url }, () => url);
  if (!context.io.stdout.isTerminal || context.env.CI) return;
  await context.openBrowser(url).catch(() => note(invocation, "No browser could be opened here."));
}

async function threadAddress(invocation: Invocation, id: string): Promise<string> {
  const client = invocation.client();
  const thread = (await invocation.credential("maintainerToken"))
    ? await client.threads.read({ params: { id } })
    : await client.agent.readThread({ params: { id } });
  const { consoleUrl } = thread.feedback;
  // An address from a server is opened only if it is a web address.
  if (URL.canParse(consoleUrl) && /^https?:$/.test(new URL(consoleUrl).protocol)) return consoleUrl;
  throw new CliError({
    exit: "unexpected",
    code: "unexpected_answer",
    message: "The server returned no web address for this thread.",
  });
}
