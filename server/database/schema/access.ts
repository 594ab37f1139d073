import type { AppKey } from "../../../src/contract/keys.ts";
import {
  type AnyTable,
  beforeToken,
  erased,
  flag,
  id,
  index,
  instant,
  integer,
  json,
  personOf,
  ref,
  table,
  text,
  tokenOf,
  withEach,
} from "./table.ts";

export const users = table(
  "users",
  {
    id: id(),
    email: text("address").unique(),
    password_hash: text("plain"),
    created_at: instant(),
    timezone: text("plain").default("UTC"),
    /** When the person has shown that they read the mail of this address; null if they have not. */
    email_verified_at: instant().null(),
  },
  { of: "account", erase: "Deleted by its person or by the operator." },
);

/** Of a console session a person sees the id, the browser in words, and the hour of its last use. */
export const sessions = table(
  "sessions",
  {
    token_hash: text("plain").primary(),
    user_id: ref(users, "cascade"),
    created_at: instant(),
    expires_at: instant(),
    id: text("plain").null(),
    browser: text("plain").null(),
    last_used_at: instant().null(),
  },
  {
    of: "account",
    erase: erased.withAccount,
    notInBackup: "a restore must not bring back sessions that have ended",
    indexes: [index("sessions_by_user", "user_id"), index("sessions_by_id", "id", { unique: true })],
  },
);

export const secondFactors = table(
  "second_factors",
  {
    /** That of the account. */
    id: ref(users, "cascade").primary(),
    /** What the authenticator app has; null after the secret of the deployment was lost. */
    secret_sealed: text("sealed").null(),
    /** The newest time step of which a code was used. */
    last_step: integer(),
    created_at: instant(),
    /** The factor counts once this is set. */
    confirmed_at: instant().null(),
  },
  { of: "account", erase: erased.withAccount },
);

export const recoveryCodes = table(
  "recovery_codes",
  { code_hash: text("plain").primary(), user_id: ref(users, "cascade"), used_at: instant().null() },
  {
    of: "account",
    erase: erased.withAccount,
    notInBackup: "a restore must not bring back codes that were used",
    indexes: [index("recovery_codes_by_user", "user_id")],
  },
);

export const passkeys = table(
  "passkeys",
  {
    id: id(),
    user_id: ref(users, "cascade"),
    name: text("text"),
    /** In base64url, as the key. */
    credential_id: text("plain").unique(),
    public_key: text("plain"),
    counter: integer(),
    /** A list. */
    transports: json("plain"),
    created_at: instant(),
    last_used_at: instant().null(),
  },
  { of: "account", erase: erased.withAccount, indexes: [index("passkeys_by_user", "user_id")] },
);

/** Links of mails that make an account or set a new password, as hashes. Each works once. */
export const accountLinks = table(
  "account_links",
  {
    token_hash: text("plain").primary(),
    kind: text("plain"),
    user_id: ref(users, "cascade").null(),
    email: text("address"),
    expires_at: instant(),
  },
  {
    of: "account",
    erase: "Deleted with the account, and at the end of the link.",
    notInBackup: "a restore must not bring back links that were used",
    indexes: [
      index("account_links_by_email", "email"),
      index("account_links_by_user", "user_id"),
      index("account_links_by_end", "expires_at"),
    ],
  },
);

/** Text that a person has typed into a form of the console and not sent. */
export const drafts = table(
  "drafts",
  {
    id: id(),
    user_id: ref(users, "cascade"),
    /** The path of the page, and the path to which its form is sent. */
    page: text("plain"),
    form: text("plain"),
    field: text("plain"),
    /** The opened page in which it was typed: two open pages keep two texts of one field. */
    writer: text("plain"),
    content: text("sealed"),
    updated_at: instant(),
  },
  {
    of: "account",
    erase: "Goes with the account, and after 30 days. Only the person who typed it can read it.",
    unique: [["user_id", "form", "field", "writer"]],
    indexes: [index("drafts_by_user", "user_id, updated_at"), index("drafts_by_update", "updated_at")],
  },
);

export const identities = table(
  "identities",
  {
    issuer: text("plain"),
    subject: text("plain"),
    user_id: ref(users, "cascade"),
    created_at: instant(),
  },
  {
    of: "account",
    erase: erased.withAccount,
    primary: ["issuer", "subject"],
    indexes: [index("identities_by_user", "user_id")],
  },
);

/** Live are the codes that are neither used nor replaced. A refusal is a row that was never live. */
export const signInCodes = table(
  "sign_in_codes",
  {
    code_hash: text("plain").primary(),
    user_id: ref(users, "cascade"),
    device_id: text("plain"),
    device_name: text("text"),
    challenge: text("plain"),
    code_sealed: text("sealed").null(),
    created_at: instant(),
    expires_at: instant(),
    used_at: instant().null(),
    replaced_at: instant().null(),
  },
  {
    of: "account",
    erase: erased.withAccount,
    notInBackup: "a restore must not bring back codes that were used",
    indexes: [
      index("one_live_code", "device_id", { unique: true, where: "used_at IS NULL AND replaced_at IS NULL" }),
      index("sign_in_codes_by_expiry", "expires_at"),
    ],
  },
);

export const devices = table(
  "devices",
  {
    id: id(),
    device_id: text("plain").unique(),
    user_id: ref(users, "cascade"),
    name: text("text"),
    push_token: text("plain").null(),
    scopes: text("plain"),
    prefix: text("plain"),
    token_hash: text("plain").unique(),
    created_at: instant(),
    expires_at: instant(),
    last_used_at: instant().null(),
  },
  { of: "account", erase: erased.withAccount, indexes: [index("devices_by_user", "user_id, created_at")] },
);

export const apps = table(
  "apps",
  {
    id: id(),
    owner_id: ref(users, "keep"),
    name: text("text"),
    feedback_enabled: flag(),
    changelog_enabled: flag(),
    chat_webhook_url: text("sealed").null(),
    github_repository: text("text").null(),
    faqs_version: integer().default(0),
    changelog_version: integer().default(0),
    created_at: instant(),
    approval_hours: integer().null(),
    updated_by: text("author").null(),
    updated_at: instant().null(),
    sender_pages: flag().default(1),
    /** How long resolved threads are kept after their last activity; null if for ever. */
    retention_days: integer().null(),
  },
  {
    of: "app",
    erase: erased.texts,
    searched: { app: "t.id" },
    indexes: [index("apps_by_owner", "owner_id, created_at")],
  },
);

export const appMembers = table(
  "app_members",
  {
    app_id: ref(apps, "cascade"),
    user_id: ref(users, "cascade"),
    role: text("plain"),
    created_at: instant(),
    /** The member has read everything in the app that happened up to then, or up to the joining if it is null. */
    read_until: instant().null(),
    visited_at: instant().null(),
    since_at: instant().null(),
  },
  {
    of: "app",
    erase: "Kept: a member cannot be erased before the membership has ended.",
    primary: ["app_id", "user_id"],
    indexes: [index("app_members_by_user", "user_id, app_id, role")],
  },
);

/** Deleted apps whose audit a person may still read. */
export const formerApps = table(
  "former_apps",
  { user_id: ref(users, "cascade"), app_id: text("plain") },
  { of: "account", erase: erased.withAccount, primary: ["user_id", "app_id"] },
);

/** The row goes when the invitation is accepted or withdrawn: its link works once. */
export const invitations = table(
  "invitations",
  {
    id: id(),
    app_id: ref(apps, "cascade"),
    email: text("address"),
    role: text("plain"),
    token_hash: text("plain").unique(),
    invited_by: ref(users, "cascade"),
    created_at: instant(),
    expires_at: instant(),
  },
  {
    of: "app",
    erase: "Invitations of the person are deleted.",
    notInBackup: "a restore must not bring back links that were used",
    unique: [["app_id", "email"]],
    indexes: [index("invitations_by_expiry", "expires_at")],
  },
);

export const appKeys = table(
  "app_keys",
  {
    id: id(),
    app_id: ref(apps, "cascade"),
    label: text("text"),
    kind: text<AppKey["kind"]>("plain"),
    prefix: text("plain"),
    key_hash: text("plain").unique(),
    created_at: instant(),
    last_used_at: instant().null(),
  },
  {
    of: "app",
    erase: erased.texts,
    indexes: [index("app_keys_by_app", "app_id, created_at")],
  },
);

/** Connections over OAuth have the kind `oauth`. */
export const tokens = table(
  "tokens",
  {
    id: id(),
    user_id: ref(users, "cascade"),
    kind: text("plain"),
    label: text("text"),
    scopes: text("plain"),
    app_id: ref(apps, "cascade").null(),
    prefix: text("plain"),
    token_hash: text("plain").unique(),
    created_at: instant(),
    created_by: text("address"),
    last_used_at: instant().null(),
    expires_at: instant().null(),
    /** For some minutes after a token was rotated, its secret of before is good, too. */
    old_token_hash: text("plain").null(),
    old_expires_at: instant().null(),
  },
  {
    of: "account",
    erase:
      "The address is replaced in the labels of tokens for an app; the tokens of a person go with the account.",
    searched: { own: "t.user_id = ?" },
    indexes: [
      index("tokens_by_user", "user_id, created_at"),
      index("tokens_by_old_hash", "old_token_hash", { unique: true, where: "old_token_hash IS NOT NULL" }),
    ],
  },
);

/** Programs that registered themselves. */
export const oauthClients = table(
  "oauth_clients",
  {
    id: id(),
    name: text("plain"),
    redirects: text("plain"),
    created_at: instant(),
    used_at: instant().null(),
  },
  {
    of: "deployment",
    erase: "Kept: it describes a program.",
    indexes: [index("oauth_clients_unused", "created_at", { where: "used_at IS NULL" })],
  },
);

/** What a person allowed, until the program exchanges it. */
export const oauthCodes = table(
  "oauth_codes",
  {
    code_hash: text("plain").primary(),
    user_id: ref(users, "cascade"),
    client_id: text("plain"),
    client_name: text("plain"),
    redirect: text("plain"),
    challenge: text("plain"),
    app_id: ref(apps, "cascade").null(),
    scopes: text("plain"),
    created_at: instant(),
    expires_at: instant(),
    connection_id: text("plain").null(),
  },
  {
    of: "account",
    erase: erased.withAccount,
    notInBackup: "a restore must not bring back codes that were used",
  },
);

/** The access and refresh tokens of connections, as hashes. */
export const oauthTokens = table(
  "oauth_tokens",
  {
    token_hash: text("plain").primary(),
    connection_id: ref(tokens, "cascade"),
    client_id: text("plain"),
    kind: text<"access" | "refresh">("plain"),
    created_at: instant(),
    expires_at: instant(),
    used_at: instant().null(),
    /** What the use of a refresh token answered, sealed with it. */
    successor: text("sealed").null(),
  },
  {
    of: "account",
    erase: erased.withAccount,
    notInBackup: "a restore must not bring back refresh tokens that were used since",
    indexes: [
      index("oauth_tokens_by_connection", "connection_id"),
      index("oauth_tokens_by_end", "expires_at"),
    ],
  },
);

const scopeOfAct = "coalesce(app_id, owner_id)";

export const audit = table(
  "audit",
  {
    id: id(),
    at: instant(),
    owner_id: text("account"),
    actor: text("address"),
    action: text("plain"),
    app_id: text("plain").null(),
    target: text("text").null(),
    address: text("network").null(),
    /** That of a token or key, whose own row is deleted. */
    label: text("text").null(),
    /** A list of fields with their values before and after. */
    changes: json("json").null(),
  },
  {
    of: "app",
    erase:
      "The act is kept. The address, and the network address of the person's own acts, are blanked. The subject of a thread goes with the thread.",
    searched: {
      own: `(t.app_id IS NULL AND t.owner_id = ?)
      OR t.app_id IN (SELECT former.app_id FROM former_apps former WHERE former.user_id = ?)`,
    },
    indexes: [
      index("audit_labels", "target", { where: "label IS NOT NULL" }),
      index("audit_in_order", `${scopeOfAct}, at, id`),
      index("audit_by_action", `${scopeOfAct}, action, at, id`),
      index(
        "audit_by_person",
        withEach(personOf, (person) => `${scopeOfAct}, (${person}), at, id`),
      ),
      index(
        "audit_by_token",
        withEach(tokenOf, (token) => `${scopeOfAct}, (${token}), at, id`),
        { where: `actor LIKE '%${beforeToken}%'` },
      ),
      index("audit_changes", "target", { where: "changes IS NOT NULL" }),
    ],
  },
);

/** Accounts and their ways to sign in, apps with their members and credentials, and the audit. */
export const accessSchema: readonly AnyTable[] = [
  ...[users, sessions, secondFactors, recoveryCodes, passkeys, accountLinks, drafts, identities, signInCodes],
  ...[devices, apps, appMembers, formerApps, invitations, appKeys, tokens, oauthClients, oauthCodes],
  ...[oauthTokens, audit],
];
