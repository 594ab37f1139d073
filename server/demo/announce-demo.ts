import type { Settings } from "../settings/settings.ts";
import { addressOf } from "./demo-testing-content.ts";
import type { DemoAccess } from "./seed-demo.ts";

/**
 * The text for a person who starts the demo: where everything is, and what to try next. `command` is how this program is
 * called on this machine: `innkeep`, `npx innkeep`, or `node` with a file.
 */
export function demoAnnouncement(settings: Settings, access: DemoAccess, command: string): string {
  return `
${whereThingsAre(settings, access)}

In another terminal, in this folder:

${whatToTry(settings, access, command)}

`;
}

/** A tester who has not tested today, so that a task is open. */
const openTester = "priya";

function whereThingsAre({ consoleUrl }: Settings, access: DemoAccess): string {
  const { email, password, appId, apiKey, agentToken, maintainerToken, threadId } = access;
  return `The demo app is Larder. Everything below works until you delete its data folder.

  Console           ${consoleUrl}
  Sign in with      ${email}
  Password          ${password}
  A plan to decide  ${consoleUrl}/feedback/${appId}/${threadId}
  A running test    ${consoleUrl}/testing/${appId}
  A tester          ${addressOf(openTester)}, with the same password

  App key           ${apiKey}
  Agent token       ${agentToken}
  Maintainer token  ${maintainerToken}`;
}

function whatToTry({ baseUrl }: Settings, access: DemoAccess, command: string): string {
  const { apiKey, agentToken, maintainerToken, threadId, runId } = access;
  const isFile = command.startsWith("node ");
  const innkeep = isFile ? "innkeep" : command;
  return `  export INNKEEP_BASE_URL=${baseUrl}
  export INNKEEP_API_KEY=${apiKey}
  export INNKEEP_AGENT_TOKEN=${agentToken}
  export INNKEEP_TOKEN=${maintainerToken}
${isFile ? `  alias innkeep='${command}'\n` : ""}
  ${innkeep} feedback send --type bug --message "The list is empty after syncing"
  ${innkeep} faq list
  ${innkeep} agent thread ${threadId}
  ${innkeep} agent decision ${runId} --wait 10m    # decide in the console meanwhile
  ${innkeep} testing listing list
  ${innkeep} auth login    # sign in as the tester; then: ${innkeep} task list
  claude mcp add --env INNKEEP_BASE_URL=${baseUrl} --env INNKEEP_AGENT_TOKEN=${agentToken} --transport stdio innkeep -- ${command} mcp`;
}
