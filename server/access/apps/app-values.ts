import type { App } from "../../../src/contract/apps.ts";
import type { Values } from "../../console/changed-values.ts";

/** The fields of an app's form, all empty. */
export const emptyApp: Values = {
  name: "",
  feedbackEnabled: "",
  changelogEnabled: "",
  senderPages: "",
  chatWebhookUrl: "",
  githubRepository: "",
  approvalHours: "",
  retentionDays: "",
};

/** A stored app as the text of its form fields. */
export const currentApp = (app: App) => ({
  name: app.name,
  feedbackEnabled: app.feedbackEnabled ? "on" : "",
  changelogEnabled: app.changelogEnabled ? "on" : "",
  senderPages: app.senderPages ? "on" : "",
  chatWebhookUrl: app.chatWebhookUrl ?? "",
  githubRepository: app.githubRepository ?? "",
  approvalHours: app.approvalHours === null ? "" : String(app.approvalHours),
  retentionDays: app.retentionDays === null ? "" : String(app.retentionDays),
});

/** Values of the form as the API takes them. */
export function appBody({
  feedbackEnabled,
  changelogEnabled,
  senderPages,
  ...rest
}: Values): Record<string, unknown> {
  const { chatWebhookUrl, githubRepository, approvalHours, retentionDays } = rest;
  return {
    ...rest,
    ...(feedbackEnabled === undefined ? {} : { feedbackEnabled: feedbackEnabled === "on" }),
    ...(changelogEnabled === undefined ? {} : { changelogEnabled: changelogEnabled === "on" }),
    ...(senderPages === undefined ? {} : { senderPages: senderPages === "on" }),
    ...(chatWebhookUrl === "" ? { chatWebhookUrl: null } : {}),
    ...(githubRepository === "" ? { githubRepository: null } : {}),
    ...(approvalHours === undefined ? {} : { approvalHours: numberOf(approvalHours) }),
    ...(retentionDays === undefined ? {} : { retentionDays: numberOf(retentionDays) }),
  };
}

const numberOf = (text: string): number | null => (text === "" ? null : Number(text));
