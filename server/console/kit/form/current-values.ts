import type { App } from "../../../../src/contract/console/apps.ts";
import type { OwnedThread } from "../../../../src/contract/console/feedback.ts";
import type { Faq } from "../../../../src/contract/faqs.ts";

// What forms of change begin with, as the text of their fields.

export const currentThread = ({ feedback }: OwnedThread) => ({
  status: feedback.status,
  category: feedback.category,
  subject: feedback.subject,
  githubIssueUrl: feedback.githubIssueUrl ?? "",
});

export const currentFaq = ({ question, answer, sortOrder }: Faq) => ({
  question,
  answer,
  sortOrder: String(sortOrder),
});

export const currentApp = (app: App) => ({
  name: app.name,
  feedbackEnabled: app.feedbackEnabled ? "on" : "",
  changelogEnabled: app.changelogEnabled ? "on" : "",
  chatWebhookUrl: app.chatWebhookUrl ?? "",
  githubRepository: app.githubRepository ?? "",
});
