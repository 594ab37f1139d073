import type { CycleStatus, SlotStatus } from "../../../../src/contract/cycles.ts";

const cycleNames: Record<CycleStatus, readonly [name: string, kind: string]> = {
  recruiting: ["Recruiting", "badge"],
  running: ["Running", "badge good"],
  completed: ["Completed", "badge"],
  cancelled: ["Cancelled", "badge bad"],
};

export const CycleBadge = ({ status }: { readonly status: CycleStatus }) => {
  const [name, kind] = cycleNames[status];
  return <span class={kind}>{name}</span>;
};

export const slotNames: Record<SlotStatus, string> = {
  open: "Open",
  requested: "Requested",
  active: "Active",
  at_risk: "At risk",
  completed: "Completed",
  removed: "Removed",
};

const slotKinds: Partial<Record<SlotStatus, string>> = {
  requested: "badge attention",
  active: "badge good",
  at_risk: "badge bad",
};

export const SlotBadge = ({ status }: { readonly status: SlotStatus }) => (
  <span class={slotKinds[status] ?? "badge"}>{slotNames[status]}</span>
);
