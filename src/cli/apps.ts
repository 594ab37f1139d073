import type { App, AppChange } from "../contract/apps.ts";
import { limits } from "../contract/limits.ts";
import { oldThreadsText } from "../contract/old-threads-text.ts";
import { appIdOf } from "./core/app-id.ts";
import { usageError } from "./core/cli-error.ts";
import type { Invocation } from "./core/context.ts";
import { details } from "./core/details.ts";
import { optionalTextOf } from "./core/input.ts";
import { type Column, note, printList, printOne } from "./core/output.ts";

type Switch = "on" | "off";

export interface AppFlags {
  readonly name?: string;
  readonly feedbackEnabled?: Switch;
  readonly changelogEnabled?: Switch;
  readonly chatWebhookUrl?: string;
  readonly githubRepository?: string;
  readonly approvalHours?: string;
  readonly retentionDays?: string;
}

export async function listApps(invocation: Invocation): Promise<undefined> {
  const { items } = await invocation.client().apps.list();
  printList(invocation, { items, columns });
}

const columns: readonly Column<App>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "name", of: ({ name }) => name },
  { heading: "feedback", of: ({ feedbackEnabled }) => switchOf(feedbackEnabled) },
  { heading: "changelog", of: ({ changelogEnabled }) => switchOf(changelogEnabled) },
  { heading: "repository", of: ({ githubRepository }) => githubRepository },
  { heading: "created", of: ({ createdAt }) => createdAt },
];

export async function viewApp(invocation: Invocation, given: string | undefined): Promise<undefined> {
  const appId = await appIdOf(invocation, given, "Name one:");
  const app = await invocation.client().apps.read({ params: { appId } });
  printOne(invocation, app, () => appLines(app));
}

/** Changes only the given settings. An empty address, repository or lifetime removes it. */
export async function editApp(
  invocation: Invocation,
  flags: AppFlags,
  given: string | undefined,
): Promise<undefined> {
  const body = await changeOf(invocation, flags);
  if (Object.values(body).every((value) => value === undefined))
    throw usageError("There is nothing to change.", "`innkeep app edit --help` lists the flags.");
  const appId = await appIdOf(invocation, given, "Name one:");
  await noteOldThreads(invocation, appId, body.retentionDays);
  const app = await invocation.client().apps.update({ params: { appId }, body });
  note(invocation, `Changed the app ${app.name}.`);
  printOne(invocation, app, () => appLines(app));
}

/** Says how many threads the next cleanup deletes with a new setting. */
async function noteOldThreads(
  invocation: Invocation,
  appId: string,
  days: number | null | undefined,
): Promise<void> {
  if (!days) return;
  const old = await invocation.client().apps.retention({ params: { appId }, query: { days: String(days) } });
  note(invocation, `${oldThreadsText(old)} older than ${days} days. The next daily cleanup deletes what is.`);
}

async function changeOf(invocation: Invocation, flags: AppFlags): Promise<AppChange> {
  const { name, feedbackEnabled, changelogEnabled, githubRepository } = flags;
  const chatWebhookUrl = await optionalTextOf(invocation, "--chat-webhook-url", flags.chatWebhookUrl);
  return {
    name,
    feedbackEnabled: feedbackEnabled && feedbackEnabled === "on",
    changelogEnabled: changelogEnabled && changelogEnabled === "on",
    chatWebhookUrl: chatWebhookUrl === "" ? null : chatWebhookUrl,
    githubRepository: githubRepository === "" ? null : githubRepository,
    approvalHours: numberOf("--approval-hours", flags.approvalHours, limits.approvalHours),
    retentionDays: numberOf("--retention-days", flags.retentionDays, limits.retentionDays),
  };
}

/** A whole number from 1 on; null for an empty text, which removes the setting. */
function numberOf(flag: string, given: string | undefined, most: number): number | null | undefined {
  if (given === undefined) return undefined;
  if (given === "") return null;
  const number = /^\d{1,6}$/.test(given.trim()) ? Number(given) : 0;
  if (number >= 1 && number <= most) return number;
  throw usageError(`${flag} must be a whole number from 1 to ${most}.`, "Leave it empty for no limit.");
}

const switchOf = (enabled: boolean): Switch => (enabled ? "on" : "off");

const appLines = (app: App): string =>
  details({
    app: app.id,
    name: app.name,
    feedback: switchOf(app.feedbackEnabled),
    changelog: switchOf(app.changelogEnabled),
    chat: app.chatWebhookUrl,
    repository: app.githubRepository,
    approvals: app.approvalHours && `expire after ${app.approvalHours} hours`,
    "resolved threads": app.retentionDays && `deleted after ${app.retentionDays} days`,
    created: app.createdAt,
  });
