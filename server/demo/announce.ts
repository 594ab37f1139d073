import { resolve } from "node:path";
import type { Settings } from "../settings/settings.ts";
import { addressOf, openTester } from "./content.ts";
import type { DemoAccess } from "./seed-demo.ts";

/**
 * Returns the text for a person who starts the demo: addresses, keys, and what to try next. `command` is the command
 * that starts this program on this machine: `innkeep`, or `node` with a file.
 */
export function demoAnnouncement(settings: Settings, access: DemoAccess, command: string): string {
  return `
${whereThingsAre(settings, access)}

In another terminal, in this folder:

${whatToTry(settings, access, command)}

`;
}

function whereThingsAre({ baseUrl, consoleUrl, data, dev }: Settings, access: DemoAccess): string {
  const { email, password, appId, threadId, apps } = access;
  const names = apps?.map(({ name }) => name).join(", ") ?? "Larder";
  const rows: [string, string | undefined][] = [
    ["Console", consoleUrl],
    ["Sign in with", email],
    ["Password", password],
    ["An open proposal", threadId && `${consoleUrl}/feedback/${appId}/${threadId}`],
    ["A running test", `${consoleUrl}/testing/${appId}`],
    ["A tester", `${addressOf(openTester)}, with the same password`],
    ["Development page", dev ? `${baseUrl}/dev` : undefined],
    ["Data folder", resolve(data)],
  ];
  return `Apps: ${names}. Everything below works until you delete the data folder.

${linesOf(rows)}

${linesOf(keysOf(access))}`;
}

function keysOf({ apiKey, apps = [], ...access }: DemoAccess): [string, string | undefined][] {
  return [
    ["App key", apiKey],
    ...apps.slice(1).map((app): [string, string] => [`Key of ${app.name}`, app.apiKey]),
    ["Agent token", access.agentToken],
    ["Maintainer token", access.maintainerToken],
    ["Device token", access.deviceToken],
    ["Test key", access.testKey],
  ];
}

const linesOf = (rows: readonly (readonly [string, string | undefined])[]): string =>
  rows.flatMap(([label, value]) => (value === undefined ? [] : [`  ${label.padEnd(18)}${value}`])).join("\n");

function whatToTry({ baseUrl }: Settings, access: DemoAccess, command: string): string {
  const { apiKey, agentToken, maintainerToken, threadId, runId } = access;
  const isFile = command.startsWith("node ");
  const innkeep = isFile ? "innkeep" : command;
  const thread =
    threadId &&
    `  ${innkeep} agent thread ${threadId}
  ${innkeep} agent decision ${runId} --wait 10m    # meanwhile, decide in the console
`;
  return `  export INNKEEP_BASE_URL=${baseUrl}
  export INNKEEP_API_KEY=${apiKey}
  export INNKEEP_AGENT_TOKEN=${agentToken}
  export INNKEEP_TOKEN=${maintainerToken}
${exportOf("INNKEEP_DEVICE_TOKEN", access.deviceToken)}${exportOf("INNKEEP_TEST_KEY", access.testKey)}${isFile ? `  alias innkeep='${command}'\n` : ""}
  ${innkeep} feedback send --type bug --message "The list is empty after syncing"
  ${innkeep} faq list
${thread ?? ""}  ${innkeep} testing listing list
  ${innkeep} auth login    # sign in as the tester; then: ${innkeep} task list

  printenv INNKEEP_AGENT_TOKEN | ${innkeep} auth set agent-token    # keeps an agent's token out of the agent's settings
  claude mcp add --env INNKEEP_BASE_URL=${baseUrl} --transport stdio innkeep -- ${command} mcp`;
}

const exportOf = (name: string, value: string | undefined): string =>
  value === undefined ? "" : `  export ${name}=${value}\n`;
