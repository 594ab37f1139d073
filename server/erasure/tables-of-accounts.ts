import type { TableRule } from "./table-rule.ts";

const withAccount = "Goes with the account.";

/** The tables that belong to accounts and to the deployment: an owner of apps erases nobody in them. */
export const tablesOfAccounts: Readonly<Record<string, TableRule>> = {
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
