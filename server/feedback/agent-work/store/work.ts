import type { FeedbackFilters, Waiting } from "../../../../src/contract/find-work.ts";
import type { RunDecision, RunStatus } from "../../../../src/contract/runs.ts";
import { type Viewer, visibleTo } from "../../../access/members/visibility.ts";
import type { Engine, Reader, Transaction } from "../../../database/database.ts";
import {
  type Condition,
  given,
  oftenTrue,
  type PageOfScopes,
  pageOfScopes,
  type RowsOfScopes,
  sqlOf,
  valuesOf,
} from "../../../database/lists.ts";
import * as tables from "../../../database/schema/feedback.ts";
import { plannedEachTime } from "../../../database/transaction.ts";
import {
  readFound,
  sortKeyOf,
  type ThreadOrder,
  type ThreadRows,
  threadsOfTag,
  withStatus,
} from "../../inbox/store.ts";
import { tagKeyOf } from "../../tags/rules.ts";
import { newestFirst } from "../../threads/store/threads.ts";
import { activeAt } from "../../unread/store/read-marks.ts";
import { type ChangeKey, type ChangesAfter, presentMark } from "./changes.ts";

/** A thread in the list of an agent. */
export interface FoundRow {
  readonly seq: number;
  readonly id: string;
  readonly appId: string;
  readonly appName: string;
  readonly subject: string;
  readonly type: string;
  readonly status: string;
  readonly occurrences: number;
  readonly createdAt: string;
  readonly activeAt: string;
  readonly waiting: Exclude<Waiting, "none"> | null;
  readonly runId: string | null;
  /** The position in the sequence of changes at the time of the query. It is the same in all rows. */
  readonly mark: string | number;
}

export interface Search {
  readonly viewer: Viewer;
  readonly filters: Omit<FeedbackFilters, "appId" | "cursor" | "limit" | "changedAfter" | "wait" | "tag"> & {
    /** Names of tags. A thread matches if it has all of them. */
    readonly tags?: readonly string[] | undefined;
  };
}

/** Returns the order in which the matching threads are listed. */
export const orderOf = ({ q, updatedSince }: Search["filters"]): Exclude<ThreadOrder, "oldest_activity"> =>
  q !== undefined ? "found" : updatedSince !== undefined ? "activity" : "created";

/** Returns a page of the matching threads, newest first. */
export async function findThreads(
  reader: Reader,
  search: Search,
  page: PageOfScopes,
): Promise<ThreadRows<FoundRow>> {
  const order = orderOf(search.filters);
  if (order === "found") return findWords(reader, search, page);
  const sorted = sortKeyOf(order);
  const seen = visibleTo(search.viewer);
  const [newest, ...values] = pageOfScopes(
    reader.engine,
    {
      scopes: [`SELECT v.app_id AS scope FROM app_members v WHERE ${seen.sql}`, ...seen.values],
      rows: { table: "feedback f", key: "f.seq", ...sorted },
      inScope: inOrder(reader.engine, order, search.filters),
    },
    page,
  );
  // The subquery selects only keys, so that the other columns are read only for the rows of the page.
  const rows = await reader.all<FoundRow>(
    plannedEachTime(
      `SELECT ${columns[reader.engine]} FROM (${newest}) AS newest CROSS JOIN feedback f CROSS JOIN apps a
       WHERE f.seq = newest.found AND a.id = f.app_id ORDER BY ${sorted.at} DESC, f.id DESC`,
    ),
    ...values,
  );
  return { rows };
}

/**
 * Selects the matching threads of one app. With tags, usually reads only the threads with the rarest tag. (rule A28)
 */
function inOrder(
  engine: Engine,
  order: "created" | "activity",
  filters: Search["filters"],
): RowsOfScopes["inScope"] {
  const keys = tagKeysOf(filters);
  // Usually few threads wait for somebody, so the index of waiting threads is faster than the index of a tag.
  if (keys.length === 0 || waitsForSomebody(filters)) {
    const conditions: Condition[] = [["f.app_id = s.scope"], ...matching(filters)];
    return { from: "feedback f", ...sortKeyOf(order), conditions };
  }
  const rarest = `SELECT g.id FROM tags g WHERE g.app_id = s.scope AND g.name_key IN (${placesOf(keys)})
    AND ${hasAll("s.scope", keys)} ORDER BY g.threads, g.id LIMIT 1`;
  return {
    ...threadsOfTag(engine, order),
    conditions: [
      [`t.tag_id = (${rarest})`, ...keys, ...keys],
      ...given("t.status = ?", filters.status),
      ...given("t.active_at >= ?", filters.updatedSince),
      ...matching({
        type: filters.type,
        waiting: filters.waiting,
        tags: keys.length > 1 ? filters.tags : [],
      }).map(oftenTrue),
    ],
  };
}

/** Returns the matching threads with a change that meets `conditions`, in the order of the changes. */
export function findChanged(
  reader: Reader,
  { viewer, filters }: Search,
  { conditions: changed, limit }: Pick<ChangesAfter, "conditions"> & { readonly limit: number },
): Promise<(FoundRow & ChangeKey)[]> {
  const conditions = [...changed, ...matching(filters)];
  const seen = visibleTo(viewer);
  return reader.all<FoundRow & ChangeKey>(
    plannedEachTime(
      `SELECT ${columns[reader.engine]}, c.number
       FROM thread_changes c CROSS JOIN feedback f CROSS JOIN apps a CROSS JOIN app_members v
       WHERE f.seq = c.feedback_seq AND a.id = c.app_id AND v.app_id = c.app_id AND ${sqlOf(conditions)} AND ${seen.sql}
       ORDER BY c.number, c.feedback_seq LIMIT ?`,
    ),
    ...[...valuesOf(conditions), ...seen.values, limit],
  );
}

async function findWords(
  reader: Reader,
  { viewer, filters }: Search,
  page: PageOfScopes,
): Promise<ThreadRows<FoundRow>> {
  const seen = visibleTo(viewer);
  const keys = tagKeysOf(filters);
  const apps = await reader.all<{ id: string }>(
    `SELECT v.app_id AS id FROM app_members v WHERE ${seen.sql} AND ${hasAll("v.app_id", keys)}`,
    ...[...seen.values, ...keys],
  );
  const appIds = apps.map(({ id }) => id);
  const { q, status, type } = filters;
  const narrowing = oftenFew(appIds, filters);
  const by = "agent" as const;
  const search = {
    q,
    by,
    appIds,
    userId: viewer.userId,
    status,
    type,
    narrowing,
    conditions: matching(filters),
  };
  return readFound(reader, search, page, ({ from, order, conditions }) =>
    reader.all<FoundRow>(
      plannedEachTime(
        `SELECT ${columns[reader.engine]} FROM ${from} JOIN apps a ON a.id = f.app_id
         JOIN app_members v ON v.app_id = a.id
       WHERE ${sqlOf(conditions)} AND ${seen.sql} ORDER BY ${order} LIMIT ?`,
      ),
      ...[...valuesOf(conditions), ...seen.values, page.limit],
    ),
  );
}

/**
 * Returns conditions for the filters. If the filters usually match few threads, adds `appIds`, so that
 * PostgreSQL uses an index.
 */
function oftenFew(
  appIds: readonly string[],
  { waiting, updatedSince, tags }: Search["filters"],
): Condition[] {
  const conditions = matching({ waiting, updatedSince, tags });
  const isRare = updatedSince !== undefined || waitsForSomebody({ waiting });
  if (!isRare) return conditions;
  return [[`f.app_id IN (${appIds.map(() => "?").join(", ")})`, ...appIds], ...conditions];
}

const waitsForSomebody = ({ waiting }: Pick<Search["filters"], "waiting">): boolean =>
  waiting !== undefined && waiting !== "none";

const columnsOn = (engine: Engine) =>
  `f.seq, f.id, f.app_id AS "appId", a.name AS "appName", f.subject, f.category AS type, f.status, f.occurrences,
   f.created_at AS "createdAt", ${activeAt} AS "activeAt", f.waiting,
   (SELECT r.id FROM runs r WHERE r.feedback_id = f.id ORDER BY ${newestFirst("r")} LIMIT 1) AS "runId",
   ${presentMark[engine]} AS mark`;

const columns = { sqlite: columnsOn("sqlite"), postgres: columnsOn("postgres") };

const matching = ({ status, type, updatedSince, waiting, ...filters }: Search["filters"]): Condition[] => [
  withStatus(status),
  ...given("f.category = ?", type),
  ...given(`${activeAt} >= ?`, updatedSince),
  ...(waiting === "none" ? [["f.waiting IS NULL"] as const] : given("f.waiting = ?", waiting)),
  ...withTags(tagKeysOf(filters)),
];

const tagKeysOf = ({ tags = [] }: Search["filters"]): string[] => [...new Set(tags.map(tagKeyOf))];

const withTags = (keys: readonly string[]): Condition[] => {
  if (keys.length === 0) return [];
  const found = `SELECT count(*) FROM thread_tags x JOIN tags g ON g.id = x.tag_id
    WHERE x.feedback_id = f.id AND g.name_key IN (${placesOf(keys)})`;
  // With `=`, PostgreSQL would expect few matching threads, and would therefore read and sort all threads with
  // the tag.
  return [[`(${found}) >= ${keys.length}`, ...keys]];
};

/** Returns an SQL condition that is true if the app has all these tags. */
const hasAll = (appId: string, keys: readonly string[]): string =>
  keys.length === 0
    ? "TRUE"
    : `(SELECT count(*) FROM tags o WHERE o.app_id = ${appId} AND o.name_key IN (${placesOf(keys)})) = ${keys.length}`;

const placesOf = (keys: readonly string[]): string => keys.map(() => "?").join(", ");

/** A proposal in the list of an agent. */
export interface FoundRunRow {
  readonly id: string;
  readonly status: RunStatus;
  readonly decision: RunDecision | null;
  readonly summary: string;
  readonly createdAt: string;
  readonly decidedAt: string | null;
  readonly expiresAt: string | null;
  readonly replacedBy: string | null;
  readonly feedbackId: string;
  readonly subject: string;
  readonly appId: string;
  readonly appName: string;
}

/** Returns a page of the proposals that an agent may read, newest first. The sort key is `createdAt` and `id`. */
export function findRuns(
  reader: Reader,
  { viewer, status }: { readonly viewer: Viewer; readonly status: RunStatus | undefined },
  page: PageOfScopes,
): Promise<FoundRunRow[]> {
  const seen = visibleTo(viewer);
  const sorted = { at: "r.created_at", id: "r.id" };
  const [newest, ...values] = pageOfScopes(
    reader.engine,
    {
      scopes: [`SELECT v.app_id AS scope FROM app_members v WHERE ${seen.sql}`, ...seen.values],
      rows: { table: "runs r", key: "r.id", ...sorted },
      inScope: {
        from: "runs r",
        ...sorted,
        conditions: [
          ["r.app_id = s.scope"],
          ...(status === undefined ? [] : [["r.status = ?", status] as const]),
        ],
      },
    },
    page,
  );
  return reader.all<FoundRunRow>(
    plannedEachTime(
      `SELECT r.id, r.status, r.decision, r.summary, r.created_at AS "createdAt", r.decided_at AS "decidedAt",
              r.expires_at AS "expiresAt", r.replaced_by AS "replacedBy", f.id AS "feedbackId", f.subject,
              a.id AS "appId", a.name AS "appName"
       FROM (${newest}) AS newest CROSS JOIN runs r CROSS JOIN feedback f CROSS JOIN apps a
       WHERE r.id = newest.found AND f.id = r.feedback_id AND a.id = r.app_id ORDER BY r.created_at DESC, r.id DESC`,
    ),
    ...values,
  );
}

/** The worker that makes a claim, and the account and the token that it uses. */
export interface Worker {
  readonly runId: string;
  readonly userId: string;
  readonly tokenId: string;
  readonly worker: string;
}

export interface ClaimRow extends Omit<Worker, "userId"> {
  readonly id: string;
  /** The account that made the claim; null for a claim that was imported. */
  readonly userId: string | null;
  readonly claimedAt: string;
  readonly releasedAt: string | null;
  readonly resumedAs: string | null;
  readonly progressCount: number;
  readonly progressAt: string | null;
  readonly outcomeStatus: string | null;
  /** 1 if the token with which the claim was created is still valid. */
  readonly tokenWorks: number;
}

interface NewProgress {
  readonly id: string;
  readonly claimId: string;
  readonly text: string;
  readonly createdAt: string;
}

/** The ids of the proposal and of the token of a claim that was released or finished. */
export type EndedClaim = Pick<ClaimRow, "runId" | "tokenId">;

export interface Release {
  readonly at: string;
  /** The person who releases the claim. Null if the server releases it, or if another claim replaces it. */
  readonly by: string | null;
  /** The id of the claim that replaces this claim. */
  readonly resumedAs?: string;
}

export interface NewOutcome {
  readonly status: string;
  readonly summary: string;
  readonly links: readonly string[];
  readonly at: string;
}

const claimColumns = `c.id, c.run_id AS "runId", c.user_id AS "userId", c.token_id AS "tokenId", c.worker,
  c.claimed_at AS "claimedAt", c.released_at AS "releasedAt", c.resumed_as AS "resumedAs",
  c.progress_count AS "progressCount", c.progress_at AS "progressAt", c.outcome_status AS "outcomeStatus",
  CASE WHEN EXISTS (SELECT 1 FROM tokens t WHERE t.id = c.token_id
    AND (t.expires_at IS NULL OR t.expires_at > ?) AND (t.kind <> 'oauth' OR EXISTS
    (SELECT 1 FROM oauth_tokens o WHERE o.connection_id = t.id AND o.expires_at > ?))) THEN 1 ELSE 0 END AS "tokenWorks"`;

/** SQL: the claims of an account or token. Claims from older versions have no account. */
const ofCaller = "(c.user_id = ? OR c.token_id = ?)";

/** Queries for claims on approved proposals. A proposal has at most one claim that is not released. */
export const runClaims = {
  /** Returns the claim on this proposal that is not released. */
  held: (reader: Reader, runId: string, now: string) =>
    reader.get<ClaimRow>(
      `SELECT ${claimColumns} FROM run_claims c WHERE c.run_id = ? AND c.released_at IS NULL`,
      ...[now, now, runId],
    ),

  /** Returns the claim with this id, if this account or token made it. */
  find: (
    reader: Reader,
    { id, runId, userId, tokenId }: Pick<Worker, "runId" | "userId" | "tokenId"> & Pick<ClaimRow, "id">,
    now: string,
  ) =>
    reader.get<ClaimRow>(
      `SELECT ${claimColumns} FROM run_claims c WHERE c.id = ? AND c.run_id = ? AND ${ofCaller}`,
      ...[now, now, id, runId, userId, tokenId],
    ),

  insert: (tx: Transaction, claim: Worker & Pick<ClaimRow, "id" | "claimedAt">) =>
    tx.insert(tables.runClaims, claim),

  /** Releases a claim. Returns undefined if the claim is already released. */
  release: (tx: Transaction, id: string, { at, by, resumedAs }: Release) =>
    tx.get<EndedClaim>(
      `UPDATE run_claims SET released_at = ?, released_by = ?, resumed_as = ? WHERE id = ? AND released_at IS NULL
       RETURNING run_id AS "runId", token_id AS "tokenId"`,
      ...[at, by, resumedAs ?? null, id],
    ),

  /** Adds a progress report. Changes the number of reports and the last report of the claim, too. */
  async addProgress(tx: Transaction, { id, claimId, text, createdAt }: NewProgress): Promise<void> {
    await tx.insert(tables.runProgress, { id, claimId, text, createdAt });
    await tx.run(
      "UPDATE run_claims SET progress_count = progress_count + 1, progress_text = ?, progress_at = ? WHERE id = ?",
      text,
      createdAt,
      claimId,
    );
  },

  /** Stores the outcome of a claim. Returns undefined if the claim already has an outcome. */
  setOutcome: (tx: Transaction, id: string, { status, summary, links, at }: NewOutcome) =>
    tx.get<EndedClaim>(
      `UPDATE run_claims SET outcome_status = ?, outcome_summary = ?, outcome_links = ?, outcome_at = ?
       WHERE id = ? AND outcome_status IS NULL RETURNING run_id AS "runId", token_id AS "tokenId"`,
      ...[status, summary, JSON.stringify(links), at, id],
    ),
};
