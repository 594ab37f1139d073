import type { ConsoleWorld } from "./console-world.ts";

/** Every page of the console, as its owner reaches it. */
export const consolePaths = ({ app, threadId, faqId, entryId }: ConsoleWorld): string[] => [
  "/console",
  `/console/feedback/${app.id}`,
  `/console/feedback/${app.id}/${threadId}`,
  `/console/faqs/${app.id}`,
  `/console/faqs/${app.id}/new`,
  `/console/faqs/${app.id}/${faqId}`,
  `/console/changelog/${app.id}`,
  `/console/changelog/${app.id}/new`,
  `/console/changelog/${app.id}/${entryId}`,
  "/console/new-app",
  `/console/apps/${app.id}`,
  "/console/tokens",
  "/console/devices",
  "/console/sign-in-methods",
  "/console/audit",
];
