import type { Role } from "../../../src/contract/endpoint.ts";
import { rolesFrom, suffices } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Engine, Outcome, Reader, Value } from "../../database/database.ts";

/** The caller of a request, and the role that the request needs. */
export interface Viewer extends AccessRequest {
  readonly userId: string;
  /** The app to which the credential is limited; null if it is not limited. */
  readonly appId: string | null;
}

/** The parts of an SQL statement that selects one row of an app. */
export interface RowOfApp {
  readonly columns: string;
  /** The FROM clause, with its joins. */
  readonly from: string;
  /** The SQL expression for the id of the app to which the row belongs. */
  readonly app: string;
  readonly where: string;
}

/** A row, with the role of the viewer in its app. */
export type Seen<Row> = Row & { readonly viewerRole: Role };

/**
 * Creates a function that reads one row. Non-members get undefined. Throws `forbidden` for an insufficient
 * role. (rules K21, H7)
 */
export function oneForViewer<Row extends object>(row: RowOfApp | Readonly<Record<Engine, RowOfApp>>) {
  const sql =
    "where" in row
      ? { sqlite: selectForViewer(row), postgres: selectForViewer(row) }
      : { sqlite: selectForViewer(row.sqlite), postgres: selectForViewer(row.postgres) };
  return async (reader: Reader, viewer: Viewer, ...values: Value[]): Promise<Seen<Row> | undefined> => {
    const found = await reader.get<Seen<Row>>(
      sql[reader.engine],
      ...[...values, viewer.userId, viewer.appId],
    );
    return admitted(found?.viewerRole, viewer) ? found : undefined;
  };
}

export interface WantedRow {
  readonly id: string;
  readonly viewer: Viewer;
}

/**
 * The requested rows of `eachForViewer`, for the FROM clause. The parameter `?` is a JSON array. Only for
 * SQLite.
 */
export const wantedRows = "jsonb_each(?) AS w";
/** The SQL expression for the id of a requested row in `wantedRows`. Only for SQLite. */
export const wantedId = "w.value ->> 0";

/**
 * Like `oneForViewer`, but for several rows, each with its own viewer. Only for SQLite. `row` must use
 * `wantedRows` and `wantedId`.
 */
export function eachForViewer<Row extends object>(row: RowOfApp) {
  const columns = `w.key AS place, ${row.columns}`;
  const sql = selectForViewer({ ...row, columns }, { userId: "w.value ->> 1", appId: "w.value ->> 2" });
  return async (reader: Reader, wanted: readonly WantedRow[]): Promise<Outcome<Seen<Row> | undefined>[]> => {
    const values = wanted.map(({ id, viewer }) => [id, viewer.userId, viewer.appId]);
    const rows = await reader.all<Seen<Row> & { readonly place: number }>(sql, JSON.stringify(values));
    const found = new Map(rows.map((each) => [each.place, each]));
    return wanted.map(({ viewer }, place) => {
      const seen = found.get(place);
      try {
        return { value: admitted(seen?.viewerRole, viewer) ? seen : undefined };
      } catch (error) {
        return { error };
      }
    });
  };
}

/** The SQL expressions for the id of the viewer and for the app to which the credential is limited. */
const oneViewer = { userId: "?", appId: "?" };

// The database finds the row by its key, and then the membership by the key of `app_members`.
const selectForViewer = ({ columns, from, app, where }: RowOfApp, { userId, appId } = oneViewer): string =>
  `SELECT ${columns}, v.role AS "viewerRole" ${from} JOIN app_members v ON v.app_id = ${app}
   WHERE ${where} AND v.user_id = ${userId} AND v.app_id = coalesce(${appId}, v.app_id)`;

/** Returns whether the viewer may see the row. Throws `forbidden` for a member whose role does not suffice. */
export function admitted(role: Role | undefined, viewer: AccessRequest): boolean {
  const verdict = judgeAccess(role, viewer);
  if (verdict === "forbidden") throw new ApiError("forbidden", { message: refusals[viewer.needs] });
  return verdict === "allowed";
}

const refusals: Readonly<Record<Role, string>> = {
  owner: "Only an owner of this app may do this. Ask an owner.",
  maintainer: "Your role in this app is viewer. Ask an owner for the role maintainer.",
  viewer: "Only members of this app may do this.",
};

/**
 * Returns the SQL condition that the membership `v` has a sufficient role. An index of `app_members` supports
 * the condition.
 */
export const membershipOf = (needs: Role): string =>
  `v.user_id = ? AND v.role IN (${rolesFrom(needs)
    .map((role) => `'${role}'`)
    .join(", ")})`;

/** Returns an SQL expression for the ids of the owners of an app, separated by spaces. */
export const ownersOf = (app: string): string =>
  `coalesce((SELECT string_agg(o.user_id, ' ') FROM app_members o
     WHERE o.app_id = ${app} AND o.role = 'owner'), '')`;

/** Returns the condition of `membershipOf` with its values. It excludes apps that the credential cannot access. */
export const visibleTo = ({ needs, userId, appId }: Viewer) => ({
  sql: `${membershipOf(needs)} AND v.app_id = coalesce(?, v.app_id)`,
  values: [userId, appId],
});

/** The facts about a request that decide whether it gets access to an app. */
export interface AccessRequest {
  /** The role with the fewest rights that may make the request. */
  readonly needs: Role;
  /** The kind of credential. An agent gets `unknown` instead of `forbidden`, to hide which other apps exist. */
  readonly kind: "session" | "maintainerToken" | "agentToken";
}

/**
 * Decides about a person's request. After `unknown`, the server answers as if no such app existed. (rule K21)
 */
export function judgeAccess(
  role: Role | undefined,
  { needs, kind }: AccessRequest,
): "allowed" | "forbidden" | "unknown" {
  if (role === undefined) return "unknown";
  if (suffices(role, needs)) return "allowed";
  return kind === "agentToken" ? "unknown" : "forbidden";
}
