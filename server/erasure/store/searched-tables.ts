import type { SearchedTable } from "./find.ts";

const ofItself = <Name extends string>(name: Name, ...keys: string[]) => ({ name, keys, app: "t.app_id" });
const byId = <Name extends string>(name: Name) => ofItself(name, "id");

const appOfSlot = `(SELECT l.app_id FROM slots s JOIN cycles c ON c.id = s.cycle_id JOIN listings l ON l.id = c.listing_id
  WHERE s.id = t.slot_id)`;

/** How the rows of a table are found that belong to apps: each table of apps that holds texts of people. */
export const searchedTables = {
  apps: { name: "apps", keys: ["id"], app: "t.id" },
  app_keys: byId("app_keys"),
  imported_people: byId("imported_people"),
  invitations: byId("invitations"),
  tags: ofItself("tags", "app_id", "name_key"),
  blocked_senders: byId("blocked_senders"),
  saved_replies: byId("saved_replies"),
  feedback: byId("feedback"),
  messages: {
    name: "messages",
    keys: ["id"],
    app: "(SELECT f.app_id FROM feedback f WHERE f.id = t.feedback_id)",
  },
  uploads: ofItself("uploads", "name"),
  failure_runs: ofItself("failure_runs", "feedback_id", "scope", "run"),
  runs: byId("runs"),
  run_claims: {
    name: "run_claims",
    keys: ["id"],
    app: "(SELECT r.app_id FROM runs r WHERE r.id = t.run_id)",
  },
  run_progress: {
    name: "run_progress",
    keys: ["id"],
    app: "(SELECT r.app_id FROM run_claims c JOIN runs r ON r.id = c.run_id WHERE c.id = t.claim_id)",
  },
  faqs: byId("faqs"),
  changelog_entries: byId("changelog_entries"),
  outbox: byId("outbox"),
  mails: byId("mails"),
  mail_addresses: ofItself("mail_addresses", "app_id", "recipient"),
  mail_originals: byId("mail_originals"),
  audit: {
    name: "audit",
    keys: ["id"],
    app: "t.app_id",
    own: `(t.app_id IS NULL AND t.owner_id = ?)
      OR t.app_id IN (SELECT former.app_id FROM former_apps former WHERE former.user_id = ?)`,
  },
  idempotency: ofItself("idempotency", "scope", "key"),
  listings: byId("listings"),
  test_sessions: { name: "test_sessions", keys: ["id"], app: appOfSlot },
  proofs: { name: "proofs", keys: ["id"], app: appOfSlot },
  tokens: { name: "tokens", keys: ["id"], app: "t.app_id", own: "t.user_id = ?" },
} as const satisfies Readonly<Record<string, SearchedTable>>;

export type SearchedTableName = keyof typeof searchedTables;

/** The columns that name the account of the person who acted. An erasure empties them. */
export const authorColumns: Readonly<Partial<Record<SearchedTableName, readonly string[]>>> = {
  apps: ["updated_by"],
  messages: ["author_id"],
  faqs: ["updated_by"],
  saved_replies: ["updated_by"],
  blocked_senders: ["created_by"],
  changelog_entries: ["updated_by"],
  runs: ["decided_by", "approved_by"],
  run_claims: ["released_by", "user_id"],
};
