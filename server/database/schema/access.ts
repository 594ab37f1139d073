import type { AppKey } from "../../../src/contract/credentials.ts";
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
    /** The time at which the person proved that they receive mails at this address. */
    email_verified_at: instant().null(),
    /** The times of day between which the person gets no notices, such as `22:00`. Null if there are none. */
    quiet_from: text("plain").null().since(134),
    quiet_to: text("plain").null().since(134),
    /** The name that is shown to people who share an app with the person. */
    name: text("name").null().since(143),
  },
  { of: "account", erase: "The person who has the account, or the operator, deletes it." },
);

/** The console sessions. People see the id, the browser and the hour of the last use of their sessions. */
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
    /** The id of the account. */
    id: ref(users, "cascade").primary(),
    /** The secret that the authenticator app has. Null after the secret of the deployment was lost. */
    secret_sealed: text("sealed").null(),
    /** The newest time step (TOTP) whose code was used. */
    last_step: integer(),
    created_at: instant(),
    /** Null until the person has confirmed the second factor. Until then, a sign-in does not require it. */
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
    /** The id of the credential in base64url. The public key is in base64url, too. */
    credential_id: text("plain").unique(),
    public_key: text("plain"),
    counter: integer(),
    /** A list of transports, such as `usb`. */
    transports: json("plain"),
    created_at: instant(),
    last_used_at: instant().null(),
  },
  { of: "account", erase: erased.withAccount, indexes: [index("passkeys_by_user", "user_id")] },
);

export const preferences = table(
  "preferences",
  {
    user_id: ref(users, "cascade").primary(),
    /** Whether single keys are shortcuts on the pages of the console. */
    keys: flag(),
    /** Which page follows after a thread was resolved: `next`, `stay` or `list`. */
    after_resolving: text("plain"),
  },
  { of: "account", erase: erased.withAccount, since: 129 },
);

/** Hashes of the links in mails for creating an account or setting a password. Each link works once. */
export const accountLinks = table(
  "account_links",
  {
    token_hash: text("plain").primary(),
    kind: text("plain"),
    user_id: ref(users, "cascade").null(),
    email: text("address"),
    expires_at: instant(),
    /** The secret of the invitation whose page opens after the person has used the link; null if there is none. */
    invitation_sealed: text("sealed").null().since(148),
  },
  {
    of: "account",
    erase: "Deleted together with the account, and when the link is used or expires.",
    notInBackup: "a restore must not bring back links that were used",
    indexes: [
      index("account_links_by_email", "email"),
      index("account_links_by_user", "user_id"),
      index("account_links_by_end", "expires_at"),
    ],
  },
);

/** Texts that a person has typed into forms of the console but has not sent. */
export const drafts = table(
  "drafts",
  {
    id: id(),
    user_id: ref(users, "cascade"),
    /** `page` is the path of the page. `form` is the path to which the form is sent. */
    page: text("plain"),
    form: text("plain"),
    field: text("plain"),
    /** Identifies the open page in which the text was typed. The same page can be open twice, with two drafts. */
    writer: text("plain"),
    content: text("sealed"),
    updated_at: instant(),
  },
  {
    of: "account",
    erase:
      "Deleted together with the account, or after 30 days. Only the person who typed the text can read it.",
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

/** The codes with which devices sign in. A refused sign-in also has a row, but its code is never valid. */
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
    chat_format: text("plain").default("slack").since(136),
    github_repository: text("text").null(),
    faqs_version: integer().default(0),
    changelog_version: integer().default(0),
    created_at: instant(),
    approval_hours: integer().null(),
    updated_by: text("author").null(),
    updated_at: instant().null(),
    sender_pages: flag().default(1),
    /**
     * The number of days for which resolved threads are kept after their last activity. Null if they are never deleted.
     */
    retention_days: integer().null(),
    /** The highest number that a thread of the app has or had. */
    last_thread_number: integer().default(0).since(119),
    /**
     * The day on which a program last read events; null after 30 days. While the column is not null, reports
     * become events.
     */
    events_read_at: instant().null().since(124),
    /** The time at which an owner hid the list of the first steps with the app. */
    start_put_away_at: instant().null().since(137),
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
    /** The time up to which the member has read everything. Null means the time at which the member joined. */
    read_until: instant().null(),
    visited_at: instant().null(),
    since_at: instant().null(),
  },
  {
    of: "app",
    erase: "Not changed: a member cannot be erased before the membership has ended.",
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

/**
 * Invitations that nobody has accepted yet. An accepted or withdrawn invitation is deleted, so each link works once.
 */
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

/** Agent and maintainer tokens. A connection over OAuth is a row with the kind `oauth`. */
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
    /** The hash of the old secret. For some minutes after a token was rotated, the old secret is also valid. */
    old_token_hash: text("plain").null(),
    old_expires_at: instant().null(),
  },
  {
    of: "account",
    erase:
      "The address is replaced in the labels of tokens for an app. The tokens of a person are deleted together with the account.",
    searched: { own: "t.user_id = ?" },
    indexes: [
      index("tokens_by_user", "user_id, created_at"),
      index("tokens_by_old_hash", "old_token_hash", { unique: true, where: "old_token_hash IS NOT NULL" }),
    ],
  },
);

/** OAuth clients that registered themselves. */
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
    erase: "Not changed: it describes a program.",
    indexes: [index("oauth_clients_unused", "created_at", { where: "used_at IS NULL" })],
  },
);

/** Authorization codes. A row records what a person has allowed a program to do. */
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
    /**
     * The answer that the program got when it used this refresh token. The answer is encrypted with the token.
     */
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
    /** The label of the token or key. This copy is needed because the row of a revoked token is deleted. */
    label: text("text").null(),
    /** A list of the changed fields with their old and new values. */
    changes: json("json").null(),
  },
  {
    of: "app",
    erase:
      "The entry is kept without the mail address. If the person did the action, the network address is removed, too. If the entry contains the subject of a thread, the subject is deleted together with the thread.",
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

/** The tables of accounts and their sign-in methods, of apps with their members and credentials, and of the audit. */
export const accessSchema: readonly AnyTable[] = [
  ...[
    users,
    sessions,
    secondFactors,
    recoveryCodes,
    passkeys,
    preferences,
    accountLinks,
    drafts,
    identities,
    signInCodes,
  ],
  ...[devices, apps, appMembers, formerApps, invitations, appKeys, tokens, oauthClients, oauthCodes],
  ...[oauthTokens, audit],
];
