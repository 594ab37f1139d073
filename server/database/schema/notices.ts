import { apps, users } from "./access.ts";
import { feedback } from "./feedback.ts";
import { mails } from "./mail.ts";
import { type AnyTable, erased, flag, id, index, instant, integer, json, ref, table, text } from "./table.ts";

/** The notices that members have chosen for an app, if they differ from the default. */
export const noticeChoices = table(
  "notice_choices",
  {
    user_id: ref(users, "cascade"),
    app_id: ref(apps, "cascade"),
    /**
     * The ways in which each kind of notice is sent, as JSON. Contains only kinds that differ from the default.
     */
    choices: json("plain"),
    storm_per_hour: integer().null(),
    /**
     * Whether the member gets notices about new reports. If no member does, new reports are not stored in
     * `notice_causes`.
     */
    wants_reports: flag().default(0),
  },
  {
    of: "account",
    erase: erased.withAccount,
    since: 134,
    primary: ["user_id", "app_id"],
    indexes: [index("notice_choices_by_app", "app_id, wants_reports")],
  },
);

/** Events for which a server must still create the notices. The server loads the texts later. */
export const noticeCauses = table(
  "notice_causes",
  {
    id: id(),
    app_id: ref(apps, "cascade"),
    kind: text("plain"),
    /** The id of the object that the event is about. */
    subject_id: text("plain"),
    feedback_id: ref(feedback, "cascade").null(),
    /** The account that caused the event. It gets no notice. */
    actor_id: ref(users, "set null").null(),
    created_at: instant(),
  },
  {
    of: "app",
    erase: "Contains no text. It is deleted within minutes, and with its thread.",
    since: 134,
    notInBackup: "a restored server must not send the same notices again",
    indexes: [
      index("notice_causes_in_order", "created_at, id"),
      index("notice_causes_by_app", "app_id"),
      index("notice_causes_by_thread", "feedback_id", { where: "feedback_id IS NOT NULL" }),
      index("notice_causes_by_actor", "actor_id", { where: "actor_id IS NOT NULL" }),
    ],
  },
);

/** A member's notice that is sent in one way, such as by mail. The server loads the texts later. */
export const notices = table(
  "notices",
  {
    id: id(),
    user_id: ref(users, "cascade"),
    app_id: ref(apps, "cascade"),
    way: text("plain"),
    kind: text("plain"),
    subject_id: text("plain"),
    feedback_id: ref(feedback, "cascade").null(),
    created_at: instant(),
    due_at: instant(),
    /** The time at which the notice was added to a mail. */
    queued_at: instant().null(),
    mail_id: ref(mails, "set null").null(),
    /**
     * The number of notices that are only counted, because too many wait. Null for a notice about one object.
     */
    further: integer().null().since(145),
  },
  {
    of: "account",
    erase: erased.withAccount,
    since: 134,
    notInBackup: "a restored server must not send the same notices again",
    indexes: [
      index("notices_due", "way, due_at, user_id, app_id", { where: "queued_at IS NULL" }),
      index("notices_by_member", "user_id, app_id, way", { until: 145 }),
      index("notices_by_member_and_time", "user_id, app_id, way, queued_at", { since: 145 }),
      index("notices_by_app", "app_id"),
      index("notices_by_thread", "feedback_id", { where: "feedback_id IS NOT NULL" }),
      index("notices_by_subject", "subject_id, kind, user_id, created_at"),
      index("notices_by_mail", "mail_id", { where: "mail_id IS NOT NULL" }),
      index("notices_queued", "queued_at", { where: "queued_at IS NOT NULL" }),
    ],
  },
);

/** The pair of keys with which this server proves to push services who it is (VAPID). There is one row. */
export const pushKeys = table(
  "push_keys",
  {
    id: id(),
    /** The public key in base64url, which is the form for browsers. */
    public_key: text("plain"),
    private_sealed: text("sealed"),
    created_at: instant(),
  },
  { of: "deployment", erase: "Contains only keys of the server.", since: 140 },
);

/**
 * A browser that shows notices until its console session ends. A new sign-in of the same person replaces the session.
 */
export const noticeBrowsers = table(
  "notice_browsers",
  {
    id: id(),
    user_id: ref(users, "cascade"),
    /** The hash of the session's token, as in `sessions`. */
    session_hash: text("plain"),
    endpoint_hash: text("plain").unique(),
    /** The address at the push service. Everybody who knows this address can send messages to the browser. */
    endpoint_sealed: text("sealed"),
    /** The public key of the browser, with which notices are encrypted. */
    p256dh: text("plain"),
    auth_sealed: text("sealed"),
    /** The name of the browser, such as `Firefox on Linux`. */
    browser: text("plain").null(),
    created_at: instant(),
    /** The time at which the session ends. */
    expires_at: instant(),
    last_notice_at: instant().null(),
    /** The time until which the push service accepts no notices for this browser. */
    paused_until: instant().null().since(147),
  },
  {
    of: "account",
    erase: erased.withAccount,
    since: 140,
    notInBackup: "they belong to sessions, and a restore must not bring back sessions that have ended",
    indexes: [
      index("notice_browsers_by_user", "user_id, expires_at"),
      index("notice_browsers_by_session", "session_hash"),
      index("notice_browsers_by_end", "expires_at"),
    ],
  },
);

/** A notice that waits to be sent to a browser. The server loads the texts later. */
export const noticePushes = table(
  "notice_pushes",
  {
    id: id(),
    browser_id: ref(noticeBrowsers, "cascade"),
    user_id: ref(users, "cascade"),
    app_id: ref(apps, "cascade"),
    /** Null if the notice says only how many objects need an action of the member. */
    kind: text("plain").null(),
    subject_id: text("plain").null(),
    feedback_id: ref(feedback, "cascade").null(),
    /** The number of events. If `kind` is null, the number of objects. */
    count: integer(),
    created_at: instant(),
    due_at: instant(),
    tries: integer(),
  },
  {
    of: "account",
    erase: erased.withAccount,
    since: 140,
    notInBackup: "a restored server must not send the same notices again",
    indexes: [
      index("notice_pushes_due", "due_at, browser_id"),
      index("notice_pushes_by_browser", "browser_id, due_at"),
      index("notice_pushes_by_member", "user_id, app_id"),
      index("notice_pushes_by_app", "app_id"),
      index("notice_pushes_by_thread", "feedback_id", { where: "feedback_id IS NOT NULL" }),
    ],
  },
);

export const browserNoticeSchema: readonly AnyTable[] = [pushKeys, noticeBrowsers, noticePushes];

export const noticeSchema: readonly AnyTable[] = [noticeChoices, noticeCauses, notices];
