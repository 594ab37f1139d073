import { agentList, filters, idOf, ids, type Measured } from "./measured.ts";

const agentFilters: readonly string[] = [
  "limit=50",
  ...filters,
  ...["none", "approval", "changes", "approved", "outcome"].map((waiting) => `waiting=${waiting}`),
  "waiting=outcome&status=in_progress",
  "waiting=outcome&status=in_progress&type=general",
  "waiting=none&status=in_progress&type=general",
  "waiting=approval&type=general",
  "updatedSince=2000-01-01T00:00:00Z",
  "updatedSince=2000-01-01T00:00:00Z&status=in_progress&type=general",
  "updatedSince=2000-01-01T00:00:00Z&waiting=outcome",
  "updatedSince=2000-01-01T00:00:00Z&waiting=outcome&status=in_progress&type=general",
  "tag=tag%201",
  "tag=tag%2020",
  "tag=tag%201,tag%2020",
  "tag=tag%2020&updatedSince=2000-01-01T00:00:00Z",
  `appId=${ids.app}&status=open`,
  `appId=${ids.smallApp}`,
];

export const agentReads: readonly Measured[] = [
  ...agentFilters.map((query) => ({ name: `an agent's list, ${query}`, ...agentList(query) })),
  ...["limit=20", "status=approved", "status=awaiting_approval", "status=rejected"].map(
    (query) =>
      ({ name: `an agent's proposals, ${query}`, by: "agent", path: `/api/v1/agent/runs?${query}` }) as const,
  ),
  { name: "an agent's thread", by: "agent", path: `/api/v1/agent/feedback/${idOf("a", 1)}` },
];
