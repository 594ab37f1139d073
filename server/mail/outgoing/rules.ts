/** What mails are about. */
export type MailKind = "reply" | "invitation" | "recovery" | "notice" | "release";

/** Mails of two lanes never wait for each other. */
export type MailLane = "personal" | "bulk";

export const mailLanes: readonly MailLane[] = ["personal", "bulk"];

/** A person waits for a personal mail; the others may take their time. (rule M4) */
export const laneOf = (kind: MailKind): MailLane =>
  kind === "release" || kind === "notice" ? "bulk" : "personal";

/** Whether no person typed this mail for its receiver, and its receiver did not just ask for it. */
export const isAutomatic = (kind: MailKind): boolean => laneOf(kind) === "bulk";
