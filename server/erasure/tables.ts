const text = "The address in a text is replaced; the rest is kept.";

/** The tables that belong to apps: an owner erases a person in them. */
const tablesOfApps: Readonly<Record<string, TableRule>> = {
  apps: {
    of: "app",
    erase: text,
    holds: {
      plain: ["id", "created_at", "updated_at"],
      account: ["owner_id", "updated_by"],
      text: ["name", "github_repository"],
      sealed: ["chat_webhook_url"],
    },
  },
  imported_people: {
    of: "app",
    erase: "The row of the person is deleted.",
    holds: { plain: ["id", "app_id"], address: ["email"] },
  },
  app_members: {
    of: "app",
    erase: "Kept: a member cannot be erased before the membership has ended.",
    holds: {
      plain: ["app_id", "role", "created_at", "read_until", "visited_at", "since_at"],
      account: ["user_id"],
    },
  },
  app_keys: {
    of: "app",
    erase: text,
    holds: {
      plain: ["id", "app_id", "kind", "prefix", "key_hash", "created_at", "last_used_at"],
      text: ["label"],
    },
  },
  invitations: {
    of: "app",
    erase: "Invitations of the person are deleted.",
    holds: {
      plain: ["id", "app_id", "role", "token_hash", "created_at", "expires_at"],
      address: ["email"],
      account: ["invited_by"],
    },
  },
  feedback: {
    of: "app",
    erase:
      "A thread with reports of the person alone is deleted with its files. Where others reported too, the person's report is blanked.",
    holds: {
      plain: [
        ...["id", "app_id", "category", "status", "created_at", "active_at"],
        ...["proposal_status", "waiting", "blocked_by"],
      ],
      address: ["sender_email"],
      name: ["sender_name"],
      account: ["assignee_id"],
      text: ["subject", "message", "source", "github_issue_url"],
      key: ["dedupe_key"],
      json: ["metadata", "files"],
    },
  },
  messages: {
    of: "app",
    erase: "Reports and answers of the person, and the replies to them, are deleted with their files.",
    holds: {
      plain: [
        "id",
        "feedback_id",
        "direction",
        "created_at",
        "category",
        "author",
        "report_id",
        "blocked_by",
      ],
      address: ["sender_email", "foreign_from"],
      name: ["sender_name"],
      account: ["author_id"],
      text: ["body", "subject", "source"],
      json: ["metadata", "files"],
    },
  },
  uploads: {
    of: "app",
    erase: "Goes with the report, the answer or the proof that has the file.",
    holds: {
      plain: ["name", "app_id", "feedback_id", "proof_id", "sha256", "media_type", "created_at"],
      text: ["file_name"],
    },
  },
  failure_runs: {
    of: "app",
    erase: text,
    holds: { plain: ["feedback_id", "app_id", "reported_at", "passed_at"], key: ["scope", "run", "parts"] },
  },
  runs: {
    of: "app",
    erase: text,
    holds: {
      plain: [
        ...["id", "feedback_id", "app_id", "status", "decision", "decided_at", "replaced_by", "created_at"],
        ...["expires_at", "first_read_at", "approved_at"],
      ],
      account: ["decided_by", "approved_by"],
      text: ["summary", "plan", "decision_note", "approval_note"],
    },
  },
  run_claims: {
    of: "app",
    erase: text,
    holds: {
      plain: [
        ...["id", "run_id", "token_id", "claimed_at", "released_at", "resumed_as", "progress_at"],
        ...["outcome_status", "outcome_at"],
      ],
      account: ["released_by", "user_id"],
      text: ["worker", "progress_text", "outcome_summary"],
      json: ["outcome_links"],
    },
  },
  events: {
    of: "app",
    erase: "Holds ids and states alone.",
    holds: { plain: ["id", "app_id", "type", "subject_id", "facts", "created_at"] },
  },
  faqs: {
    of: "app",
    erase: text,
    holds: {
      plain: ["id", "app_id", "created_at", "updated_at", "pushed_hash"],
      account: ["updated_by"],
      text: ["question", "answer"],
    },
  },
  changelog_entries: {
    of: "app",
    erase: text,
    holds: {
      plain: [
        ...["id", "app_id", "release_type", "body_format", "published_at", "created_at", "updated_at"],
        ...["edited_fields", "told_at"],
      ],
      account: ["updated_by"],
      text: ["title", "version", "body"],
      json: ["versions", "items"],
    },
  },
  changelog_feedback: {
    of: "app",
    erase: "Goes with the thread.",
    holds: { plain: ["entry_id", "feedback_id"] },
  },
  outbox: {
    of: "app",
    erase: text,
    holds: {
      plain: ["id", "app_id", "kind", "subject_id", "status", "due_at", "created_at", "sent_at"],
      text: ["last_error"],
      json: ["payload"],
      sealed: ["target"],
    },
  },
  mails: {
    of: "app",
    erase: "Mails to the person are deleted, also those that wait.",
    holds: {
      plain: [
        ...["id", "app_id", "kind", "lane", "subject_id", "report_id", "status"],
        ...["due_at", "send_before", "created_at", "settled_at"],
      ],
      address: ["recipient"],
      text: ["last_error"],
      sealed: ["content"],
    },
  },
  mail_originals: {
    of: "app",
    erase:
      "Mails of the person, to the person, and in which the address stands, are deleted with their bytes.",
    holds: {
      plain: ["id", "app_id", "feedback_id", "report_id", "upload", "set_apart", "created_at"],
      address: ["recipient", "sender"],
      text: ["addresses", "subject", "excerpt"],
      sealed: ["key_sealed"],
    },
  },
  mail_addresses: {
    of: "app",
    erase: "The row of the person is deleted.",
    holds: { plain: ["app_id", "confirmed_at", "unsubscribed_at"], address: ["recipient"] },
  },
  audit: {
    of: "app",
    erase:
      "The act is kept. The address, and the network address of the person's own acts, are blanked. The subject of a thread goes with the thread.",
    holds: {
      plain: ["id", "at", "action", "app_id"],
      address: ["actor"],
      account: ["owner_id"],
      text: ["target", "label"],
      json: ["changes"],
      network: ["address"],
    },
  },
  idempotency: {
    of: "app",
    erase: "Answers with the address are deleted. All go after a day.",
    holds: {
      plain: ["scope", "fingerprint", "expires_at", "app_id"],
      key: ["key"],
      json: ["body"],
    },
  },
  listings: {
    of: "app",
    erase: text,
    holds: {
      plain: ["id", "app_id", "verification_tier", "created_at", "updated_at"],
      text: ["app_name", "icon_url", "package_name", "opt_in_url", "test_brief"],
      json: ["screens"],
    },
  },
  cycles: {
    of: "app",
    erase: "Holds dates and states alone.",
    holds: {
      plain: ["id", "listing_id", "status", "starts_on", "timezone", "day_starts", "next_at", "created_at"],
    },
  },
  slots: {
    of: "app",
    erase: "A seat that has ended keeps its counts and loses its tester. A seat in use refuses the erasure.",
    holds: {
      plain: [
        ...["id", "cycle_id", "status", "request_expires_at", "activated_at", "ended_at"],
        ...["counted", "key_hash", "created_at"],
      ],
      account: ["tester_id", "imported_tester"],
      sealed: ["key_sealed"],
    },
  },
  counted_days: {
    of: "app",
    erase: "Kept: it is the count of the test.",
    holds: { plain: ["slot_id", "kind", "evidence_id", "counted_at"] },
  },
  test_sessions: {
    of: "app",
    erase: "Test sessions of the person are deleted.",
    holds: {
      plain: ["id", "slot_id", "started_at", "ended_at", "reason", "received_at"],
      text: ["app_version"],
      json: ["screens"],
    },
  },
  proofs: {
    of: "app",
    erase: "Proofs of the person are deleted with their images.",
    holds: { plain: ["id", "slot_id", "captured_at", "queued_at", "created_at"], text: ["note"] },
  },
};

/** The tables by which a team sorts the feedback of its apps. */
const tablesOfTriage: Readonly<Record<string, TableRule>> = {
  tags: {
    of: "app",
    erase: "The address in a text is replaced; the rest is kept.",
    holds: { plain: ["id", "app_id", "colour", "created_at"], text: ["name", "name_key"] },
  },
  thread_tags: {
    of: "app",
    erase: "Goes with the thread.",
    holds: {
      plain: ["feedback_id", "tag_id", "created_at", "active_at", "status"],
      account: ["assignee_id"],
    },
  },
  thread_looks: {
    of: "app",
    erase: "Goes with the membership, with the account and with the thread.",
    holds: { plain: ["app_id", "feedback_id", "looked_at", "since_at", "active_at"], account: ["user_id"] },
  },
  answering_members: {
    of: "app",
    erase: "Is deleted after ten minutes, and with the membership, the account and the thread.",
    holds: { plain: ["app_id", "feedback_id", "noted_at"], account: ["user_id"] },
  },
  blocked_senders: {
    of: "app",
    erase: "The block of the person is deleted: the address stays nowhere.",
    holds: { plain: ["id", "app_id", "kind", "created_at"], text: ["sender"], account: ["created_by"] },
  },
  run_progress: {
    of: "app",
    erase: "The address in a text is replaced; the rest is kept.",
    holds: { plain: ["id", "claim_id", "created_at"], text: ["text"] },
  },
  saved_replies: {
    of: "app",
    erase: "The address in a text is replaced; the rest is kept.",
    holds: {
      plain: ["id", "app_id", "created_at", "updated_at"],
      account: ["updated_by"],
      text: ["title", "body"],
    },
  },
};

const withAccount = "Goes with the account.";

/** The tables that belong to accounts and to the deployment: an owner of apps erases nobody in them. */
const tablesOfAccounts: Readonly<Record<string, TableRule>> = {
  users: {
    of: "account",
    erase: "Deleted by its person or by the operator.",
    holds: {
      plain: ["id", "password_hash", "created_at", "timezone", "email_verified_at"],
      address: ["email"],
    },
  },
  sessions: {
    of: "account",
    erase: withAccount,
    holds: {
      plain: ["token_hash", "created_at", "expires_at", "id", "browser", "last_used_at"],
      account: ["user_id"],
    },
  },
  tokens: {
    of: "account",
    erase:
      "The address is replaced in the labels of tokens for an app; the tokens of a person go with the account.",
    holds: {
      plain: [
        ...["id", "kind", "scopes", "app_id", "prefix", "token_hash", "created_at", "last_used_at"],
        ...["expires_at", "old_token_hash", "old_expires_at"],
      ],
      address: ["created_by"],
      account: ["user_id"],
      text: ["label"],
    },
  },
  identities: {
    of: "account",
    erase: withAccount,
    holds: { plain: ["issuer", "subject", "created_at"], account: ["user_id"] },
  },
  second_factors: {
    of: "account",
    erase: withAccount,
    holds: { plain: ["created_at", "confirmed_at"], account: ["id"], sealed: ["secret_sealed"] },
  },
  recovery_codes: {
    of: "account",
    erase: withAccount,
    holds: { plain: ["code_hash", "used_at"], account: ["user_id"] },
  },
  passkeys: {
    of: "account",
    erase: withAccount,
    holds: {
      plain: ["id", "credential_id", "public_key", "transports", "created_at", "last_used_at"],
      account: ["user_id"],
      text: ["name"],
    },
  },
  drafts: {
    of: "account",
    erase: "Goes with the account, and after 30 days. Only the person who typed it can read it.",
    holds: {
      plain: ["id", "page", "form", "field", "writer", "updated_at"],
      account: ["user_id"],
      sealed: ["content"],
    },
  },
  account_links: {
    of: "account",
    erase: "Deleted with the account, and at the end of the link.",
    holds: { plain: ["token_hash", "kind", "expires_at"], address: ["email"], account: ["user_id"] },
  },
  sign_in_codes: {
    of: "account",
    erase: withAccount,
    holds: {
      plain: [
        ...["code_hash", "device_id", "challenge", "created_at", "expires_at", "used_at", "replaced_at"],
      ],
      account: ["user_id"],
      text: ["device_name"],
      sealed: ["code_sealed"],
    },
  },
  devices: {
    of: "account",
    erase: withAccount,
    holds: {
      plain: [
        ...["id", "device_id", "push_token", "scopes", "prefix", "token_hash"],
        ...["created_at", "expires_at", "last_used_at"],
      ],
      account: ["user_id"],
      text: ["name"],
    },
  },
  oauth_clients: {
    of: "deployment",
    erase: "Kept: it describes a program.",
    holds: { plain: ["id", "name", "redirects", "created_at", "used_at"] },
  },
  oauth_codes: {
    of: "account",
    erase: withAccount,
    holds: {
      plain: [
        ...["code_hash", "client_id", "client_name", "redirect", "challenge", "app_id", "scopes"],
        ...["created_at", "expires_at", "connection_id"],
      ],
      account: ["user_id"],
    },
  },
  oauth_tokens: {
    of: "account",
    erase: withAccount,
    holds: {
      plain: ["token_hash", "connection_id", "client_id", "kind", "created_at", "expires_at", "used_at"],
      sealed: ["successor"],
    },
  },
  erasures: {
    of: "deployment",
    erase: "Kept: it is the receipt. It holds a keyed hash, and the address sealed until the work is done.",
    holds: {
      plain: [
        "id",
        "person_hash",
        "status",
        "place",
        "files",
        "counts",
        "created_at",
        "finished_at",
        "backups_until",
      ],
      account: ["owner_id"],
      sealed: ["email_sealed"],
    },
  },
  former_apps: {
    of: "account",
    erase: withAccount,
    holds: { plain: ["app_id"], account: ["user_id"] },
  },
  imports: {
    of: "deployment",
    erase: "Holds ids alone.",
    holds: { plain: ["app_id", "alive_at"] },
  },
  rate_limits: {
    of: "deployment",
    erase: "Holds hashes, which go within days.",
    holds: { plain: ["key", "times"] },
  },
  byte_uses: {
    of: "deployment",
    erase: "Holds ids of app keys alone.",
    holds: { plain: ["key_id"] },
  },
  deployment: {
    of: "deployment",
    erase: "Holds values of the server alone.",
    holds: { plain: ["name", "value"] },
  },
  last_times: {
    of: "deployment",
    erase: "Holds the time of the server alone.",
    holds: { plain: ["name", "at"] },
  },
  mailboxes: {
    of: "deployment",
    erase: "Kept: it is the mailbox of the operator.",
    holds: { plain: ["name", "uid_validity", "tried_at"] },
  },
  thread_changes: {
    of: "deployment",
    erase: "Goes with the thread.",
    holds: { plain: ["app_id"] },
  },
  change_counts: {
    of: "deployment",
    erase: "Holds a random name alone.",
    holds: { plain: ["name"] },
  },
};

/**
 * Each table with its rule. A new table, and a new column of texts, needs an entry:
 * `test/store/people/personal-data.test.ts` compares this with the schema of both engines.
 */
export const personalData: Readonly<Record<string, TableRule>> = {
  ...tablesOfApps,
  ...tablesOfTriage,
  ...tablesOfAccounts,
};

/**
 * What a column of texts can hold of a person.
 *
 * - `plain`: ids, hashes, states, instants and other texts that no person types
 * - `address`: an e-mail address, or what a sender gave in its place
 * - `name`: the name of a person
 * - `account`: the id of the account of a person
 * - `text`: what people write
 * - `json`: the same as JSON
 * - `key`: names that programs make, and in which an address may be joined to other words
 * - `sealed`: encrypted texts
 * - `network`: the network address of a person
 */
type Holding = "plain" | "address" | "name" | "account" | "text" | "json" | "key" | "sealed" | "network";

/** The columns of a table by what they can hold. */
type Holdings = Readonly<Partial<Record<Holding, readonly string[]>>>;

/** The rule of a table: what it holds of people, and what happens to that when a person is erased. (rule P1) */
interface TableRule {
  /**
   * `app`: an owner erases a person here. `account`: it goes with the account, which only its person or the operator
   * deletes. `deployment`: it belongs to the server.
   */
  readonly of: "app" | "account" | "deployment";
  /** What an erasure does with what the table holds of the person, or why it keeps it. */
  readonly erase: string;
  /** Each column of texts stands here once. */
  readonly holds: Holdings;
}
