import type { TableRule } from "./table-rule.ts";

const text = "The address in a text is replaced; the rest is kept.";

/** The tables that belong to apps: an owner erases a person in them. */
export const tablesOfApps: Readonly<Record<string, TableRule>> = {
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
