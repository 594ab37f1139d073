import { membershipOf } from "../../access/members/visibility.ts";
import type { Value } from "../../database/database.ts";
import type { AddressFinder } from "../addresses.ts";

/** How a person who is erased is found. */
export interface Person {
  readonly finder: AddressFinder;
  /** The id of the account with the person's e-mail address. Null if there is none. */
  readonly accountId: string | null;
}

/** Whether a person is erased only in the apps that an account owns, or in the whole deployment. */
export type ErasureScope = { readonly ownerId: string } | "everywhere";

/** A part of a WHERE clause, and the values for each `?` in it. */
export interface Clause {
  readonly sql: string;
  readonly values: readonly Value[];
}

const ownApps = `SELECT v.app_id FROM app_members v WHERE ${membershipOf("owner")}`;

/**
 * Returns the condition that a row belongs to the scope. `app` is the SQL expression for the id of the row's app. `own`
 * is an additional condition for rows that belong to the owner but to no app. Each `?` in `own` stands for the id of
 * the owner.
 */
export function inScope(scope: ErasureScope, app: string, own = ""): Clause {
  if (scope === "everywhere") return { sql: "1 = 1", values: [] };
  const more = own === "" ? "" : ` OR ${own}`;
  const values = [scope.ownerId, ...[...own.matchAll(/\?/g)].map(() => scope.ownerId)];
  return { sql: `(${app} IN (${ownApps})${more})`, values };
}

/** The names of the counts of an erasure. Receipts contain these names. */
export const erasureCounts = [
  "threads",
  "reports",
  "messages",
  "files",
  "mails",
  "invitations",
  "seats",
  "answers",
  "audit",
  "texts",
] as const;
export type ErasureCount = (typeof erasureCounts)[number];
export type ErasureCounts = Readonly<Record<ErasureCount, number>>;

/** The effect of a change. `files` contains the SHA-256 hashes of the files to which deleted rows referred. */
export interface Effect {
  readonly counts: Readonly<Partial<Record<ErasureCount, number>>>;
  readonly files: readonly string[];
}

export const noEffect: Effect = { counts: {}, files: [] };
