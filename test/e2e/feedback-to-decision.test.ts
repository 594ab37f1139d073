import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { startBrowser } from "../support/browser/browser.ts";
import { pdf, png } from "../support/files/sample-files.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeep, innkeepPath, innkeepServe } from "../support/programs/built-program.ts";

const plan = "1. Copy the photo before the picker closes.\n2. Add a test.";

describe("the whole process from a report to a person's decision", () => {
  it("returns the approval and the note to the waiting agent within one second", async () => {
    const folder = await temporaryFolder();
    const { ready } = await innkeepServe(["--port", "0", "--demo", "--data", join(folder, "data")]);
    const environment = {
      INNKEEP_BASE_URL: ready.baseUrl,
      INNKEEP_API_KEY: ready.demo.apiKey,
      INNKEEP_AGENT_TOKEN: ready.demo.agentToken,
      INNKEEP_CONFIG_DIR: join(folder, "config"),
      INNKEEP_STATE_DIR: join(folder, "state"),
    };

    const report = await sendReport(folder, environment);
    const agent = await connectAgent(environment);
    const thread = await call(agent, "read_feedback", { feedback: report.consoleUrl });
    expect(thread).toMatchObject({ feedback_id: report.id, untrusted: { message: "The photo is lost." } });
    expect(thread.images).toHaveLength(1);

    const proposal = await call(agent, "propose_plan", {
      feedback: report.id,
      summary: "Keep the photo",
      plan,
    });
    const decided = async () => {
      for (;;) {
        const found = await call(agent, "get_decision", { run_id: proposal.run_id, wait_seconds: 30 });
        if (found.status !== "awaiting_approval") return found;
      }
    };
    const waiting = decided();

    const page = await openPage();
    await page.goto(report.consoleUrl);
    await page.getByLabel("E-mail").fill(ready.demo.email);
    await page.getByLabel("Password").fill(ready.demo.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect.poll(() => page.textContent("body")).toContain("Copy the photo before the picker closes.");
    await page.getByLabel("Note to the agent").fill("Only on Android.");
    await page.getByRole("button", { name: "Approve" }).click();

    const decision = await waiting;
    expect(decision).toMatchObject({
      status: "approved",
      may_proceed: true,
      decision_note: "Only on Android.",
    });
  });
});

async function sendReport(folder: string, env: Record<string, string>) {
  await writeFile(join(folder, "screen.png"), png().bytes);
  await writeFile(join(folder, "log.pdf"), pdf().bytes);
  const files = ["--image", join(folder, "screen.png"), "--attach", join(folder, "log.pdf")];
  const sent = await innkeep(
    ["feedback", "send", "--type", "bug", "--message", "The photo is lost.", ...files, "--json"],
    { env },
  );
  expect(sent).toMatchObject({ code: 0 });
  return JSON.parse(sent.stdout);
}

async function openPage() {
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  return (await browser.newContext()).newPage();
}

async function connectAgent(env: Record<string, string>): Promise<Client> {
  const agent = new Client({ name: "an agent", version: "1" });
  await agent.connect(
    new StdioClientTransport({ command: process.execPath, args: [innkeepPath, "mcp"], env }),
  );
  onTestFinished(() => agent.close());
  return agent;
}

async function call(
  agent: Client,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { structuredContent, isError, content } = await agent.callTool({ name, arguments: args });
  if (isError || !structuredContent) throw new Error(JSON.stringify(content));
  return Object.fromEntries(Object.entries(structuredContent));
}
