import type { ThreadTag } from "../../../src/contract/tags.ts";
import { Line } from "../../console/parts.tsx";

export const statusNames = {
  open: "Open",
  in_progress: "In progress",
  resolved: "Resolved",
  archived: "Archived",
} as const;

export const typeNames = {
  bug: "Bug",
  feature: "Feature",
  question: "Question",
  general: "General",
} as const;

/** The labels of the fields of a thread that a person can change in the side column. */
export const editLabels = {
  assignee: "Assigned to",
  status: "Status",
  category: "Type",
  subject: "Subject",
  githubIssueUrl: "Linked issue",
  addTags: "Add tags",
} as const;

/** Returns the displayed name of a value. If it has no name, returns the value itself. */
export const nameIn = (names: Readonly<Record<string, string>>, value: string): string =>
  names[value] ?? value;

export const StatusBadge = ({ status }: { readonly status: string }) => (
  <span class={status === "resolved" ? "badge good" : "badge"}>{nameIn(statusNames, status)}</span>
);

export interface BadgeProps {
  readonly name: string;
  readonly kind?: "good" | "bad" | "attention";
}

export const Badge = ({ name, kind }: BadgeProps) => (
  <span class={kind === undefined ? "badge" : `badge ${kind}`}>{name}</span>
);

/** The tag of a thread, in its colour. */
export const TagBadge = ({ tag: { name, colour } }: { readonly tag: Omit<ThreadTag, "id"> }) => (
  <span class={`badge tag ${colour ?? "grey"}`}>
    <Line text={name} />
  </span>
);
