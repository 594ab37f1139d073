import { ApiError } from "../../../src/contract/errors.ts";
import type { Visit } from "../../console/visit.ts";
import { endOfDay, startOfDay } from "./utc-days.ts";

/** The filter of the audit log as it stands in the address. An empty value means all. */
export type AuditFilter = Readonly<Record<"app" | "action" | "actor" | "from" | "until", string>>;

export const auditFilterOf = ({ query }: Pick<Visit, "query">): AuditFilter => ({
  app: query("app"),
  action: query("action"),
  actor: query("actor").trim(),
  from: query("from").trim(),
  until: query("until").trim(),
});

/** The query of the API for a filter. `until` is the last day that is shown. */
export const auditQueryOf = ({ app, action, actor, from, until }: AuditFilter) => ({
  appId: app,
  action,
  actor,
  from: startOfDay(from) ?? "",
  to: endOfDay(until) ?? "",
});

/** A refusal that names each day that cannot be read; undefined if there is none. */
export function faultyDays(filter: AuditFilter): ApiError | undefined {
  const issues = (["from", "until"] as const)
    .filter((name) => filter[name] !== "" && startOfDay(filter[name]) === undefined)
    .map((path) => ({ path, message: "must be a day such as 2026-11-22" }));
  return issues.length === 0 ? undefined : new ApiError("bad_request", { issues });
}

/** The given parts of a filter, and of further parameters, for an address. */
export const auditAddress = (page: string, values: Readonly<Record<string, string>>): string => {
  const given = Object.entries(values).filter(([, value]) => value !== "");
  return given.length === 0 ? page : `${page}?${new URLSearchParams(given)}`;
};
