/** The views of every app, as filters. Snoozed threads are only in `snoozed`, `resolved` and `all`. (rule F44) */
export const fixedViews = {
  to_triage: { status: "open", snoozed: "false", order: "activity" },
  mine: { assignee: "me", unfinished: "true", snoozed: "false", order: "activity" },
  waiting_on_us: { waitingOn: "us", snoozed: "false", order: "activity" },
  waiting_on_sender: { waitingOn: "sender", snoozed: "false", order: "activity" },
  snoozed: { snoozed: "true", order: "activity" },
  resolved: { status: "resolved", order: "activity" },
  unassigned: { assignee: "none", unfinished: "true", snoozed: "false", order: "activity" },
  all: { order: "activity" },
} as const;

export type FixedView = keyof typeof fixedViews;
