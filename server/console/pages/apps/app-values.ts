import type { App } from "../../../../src/contract/console/apps.ts";
import type { Values } from "../../kit/form/changed-values.ts";

/** The fields of an app's form, all empty. */
export const emptyApp: Values = {
  name: "",
  feedbackEnabled: "",
  changelogEnabled: "",
  chatWebhookUrl: "",
  githubRepository: "",
};

/** A stored app as the text of its form fields. */
export const currentApp = (app: App) => ({
  name: app.name,
  feedbackEnabled: app.feedbackEnabled ? "on" : "",
  changelogEnabled: app.changelogEnabled ? "on" : "",
  chatWebhookUrl: app.chatWebhookUrl ?? "",
  githubRepository: app.githubRepository ?? "",
});

/** Values of the form as the API takes them. */
export function appBody({ feedbackEnabled, changelogEnabled, ...rest }: Values): Record<string, unknown> {
  const { chatWebhookUrl, githubRepository } = rest;
  return {
    ...rest,
    ...(feedbackEnabled === undefined ? {} : { feedbackEnabled: feedbackEnabled === "on" }),
    ...(changelogEnabled === undefined ? {} : { changelogEnabled: changelogEnabled === "on" }),
    ...(chatWebhookUrl === "" ? { chatWebhookUrl: null } : {}),
    ...(githubRepository === "" ? { githubRepository: null } : {}),
  };
}
