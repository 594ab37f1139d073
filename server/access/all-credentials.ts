import type { AppKey } from "../../src/contract/keys.ts";
import type { Reader, Value } from "../database/database.ts";
import type { TokenRow } from "./tokens/store.ts";

/** The account that owns a credential: its address and its id. */
interface Owned {
  readonly owner: string;
  readonly ownerId: string;
}

export interface OwnedToken extends TokenRow, Owned {}

export interface OwnedKey extends AppKey, Owned {
  readonly appId: string;
  readonly app: string;
}

/** The keys and tokens of all accounts, oldest first, for the operator. */
export const allCredentials = {
  tokens: (reader: Reader, email: string | undefined) => {
    const { where, values } = conditions([["u.email", email]]);
    return reader.all<OwnedToken>(
      `SELECT t.id, t.kind, t.label, t.scopes, t.app_id AS "appId", t.prefix, u.email AS owner,
              t.user_id AS "ownerId", t.created_at AS "createdAt", t.created_by AS "createdBy",
              t.last_used_at AS "lastUsedAt", t.expires_at AS "expiresAt"
       FROM tokens t JOIN users u ON u.id = t.user_id ${where} ORDER BY t.created_at, t.id`,
      ...values,
    );
  },

  keys: (reader: Reader, { email, appId }: { readonly email?: string; readonly appId?: string }) => {
    const { where, values } = conditions([
      ["u.email", email],
      ["k.app_id", appId],
    ]);
    return reader.all<OwnedKey>(
      `SELECT k.id, k.kind, k.label, k.app_id AS "appId", a.name AS app, k.prefix, u.email AS owner,
              a.owner_id AS "ownerId", k.created_at AS "createdAt", k.last_used_at AS "lastUsedAt"
       FROM app_keys k JOIN apps a ON a.id = k.app_id JOIN users u ON u.id = a.owner_id ${where}
       ORDER BY k.created_at, k.id`,
      ...values,
    );
  },
};

/** The WHERE clause of the conditions whose value is given. */
function conditions(wanted: readonly (readonly [string, string | undefined])[]): {
  readonly where: string;
  readonly values: Value[];
} {
  const given = wanted.flatMap(([column, value]) => (value === undefined ? [] : [{ column, value }]));
  const tests = given.map(({ column }) => `${column} = ?`).join(" AND ");
  return { where: tests && `WHERE ${tests}`, values: given.map(({ value }) => value) };
}
