import type { Proposal } from "../../../../src/contract/agent.ts";

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

/** The name of a value; the value itself when it has no name here. */
export const nameIn = (names: Readonly<Record<string, string>>, value: string): string =>
  names[value] ?? value;

export const StatusBadge = ({ status }: { readonly status: string }) => (
  <span class={status === "resolved" ? "badge good" : "badge"}>{nameIn(statusNames, status)}</span>
);

export const TypeBadge = ({ type }: { readonly type: string }) => (
  <span class="badge">{nameIn(typeNames, type)}</span>
);

export const ProposalBadge = ({
  status,
  replacedBy,
}: Pick<Proposal, "replacedBy"> & { readonly status: string }) => {
  if (replacedBy !== null) return <span class="badge">Replaced by a newer one</span>;
  if (status === "awaiting_approval") return <span class="badge attention">Waiting for your decision</span>;
  return status === "approved" ? (
    <span class="badge good">Approved</span>
  ) : (
    <span class="badge bad">Rejected</span>
  );
};
