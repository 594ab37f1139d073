import type { Role } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Engine, Outcome, Reader, Value } from "../../database/database.ts";
import { type Asker, judgeAccess, rolesFrom } from "./rules.ts";

/**
 * The person who asks, the app to which the credential is limited (null if it is not limited), and the least role that
 * suffices in the app.
 */
export interface Viewer extends Asker {
  readonly userId: string;
  readonly appId: string | null;
}

/** A statement for one row that belongs to an app. */
export interface RowOfApp {
  readonly columns: string;
  /** From `FROM` on, with its joins. */
  readonly from: string;
  /** The expression for the id of the app. */
  readonly app: string;
  readonly where: string;
}

/** A row, and the role of the viewer in its app. */
export type Seen<Row> = Row & { readonly viewerRole: Role };

/**
 * Makes the reading of one row for viewers. It gives undefined to people who are no members of the row's app, as if there
 * were no such row, and throws `forbidden` if the viewer's role does not suffice. (rule K21)
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

/** A row that a viewer wants. */
export interface WantedRow {
  readonly id: string;
  readonly viewer: Viewer;
}

/** SQLite: the rows that several viewers want, in the FROM of a statement of `eachForViewer`. */
export const wantedRows = "jsonb_each(?) AS w";
/** The id of such a row. */
export const wantedId = "w.value ->> 0";

/**
 * SQLite: makes the reading of several rows in one statement, each for its own viewer. It gives for each what `oneForViewer`
 * gives or throws. `row` reads from `wantedRows`, and finds its own row by `wantedId`.
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

/** The expressions for the person and for the app of the credential. */
const oneViewer = { userId: "?", appId: "?" };

// The row is found first, by its own key. Whether its app has this member is then one step in the key of `app_members`.
const selectForViewer = ({ columns, from, app, where }: RowOfApp, { userId, appId } = oneViewer): string =>
  `SELECT ${columns}, v.role AS "viewerRole" ${from} JOIN app_members v ON v.app_id = ${app}
   WHERE ${where} AND v.user_id = ${userId} AND v.app_id = coalesce(${appId}, v.app_id)`;

/** Whether somebody with this role may do what is asked. Throws `forbidden` if a member may not. */
export function admitted(role: Role | undefined, viewer: Asker): boolean {
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
 * The condition that `app_members v` is a membership of the person in which the role suffices. Lists begin with it: an
 * index holds the apps of a person. Its value is the person's id.
 */
export const membershipOf = (needs: Role): string =>
  `v.user_id = ? AND v.role IN (${rolesFrom(needs)
    .map((role) => `'${role}'`)
    .join(", ")})`;

/** An expression for the ids of the owners of an app, between spaces. */
export const ownersOf = (app: string): string =>
  `coalesce((SELECT string_agg(o.user_id, ' ') FROM app_members o
     WHERE o.app_id = ${app} AND o.role = 'owner'), '')`;

/** The same, and the app is the one to which the credential is limited, if it is. */
export const visibleTo = ({ needs, userId, appId }: Viewer) => ({
  sql: `${membershipOf(needs)} AND v.app_id = coalesce(?, v.app_id)`,
  values: [userId, appId],
});
