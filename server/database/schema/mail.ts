import { apps } from "./access.ts";
import { feedback, uploads } from "./feedback.ts";
import { type AnyTable, id, index, instant, integer, ref, table, text } from "./table.ts";

export const mails = table(
  "mails",
  {
    id: id(),
    app_id: ref(apps, "cascade").null(),
    kind: text("plain"),
    /** The queue of the mail: `personal` or `bulk`. The name of the column is older than the word "queue". */
    lane: text("plain"),
    subject_id: text("plain").null(),
    /** The address of the recipient, in the form in which addresses are compared. */
    recipient: text("address"),
    /** The whole mail. It is set to null when the mail was sent or can no longer be sent. */
    content: text("sealed").null(),
    status: text("plain"),
    attempts: integer(),
    due_at: instant(),
    send_before: instant(),
    last_error: text("text").null(),
    created_at: instant(),
    settled_at: instant().null(),
    report_id: text("plain").null(),
  },
  {
    of: "app",
    erase: "Mails to the person are deleted, including those that wait to be sent.",
    indexes: [
      index("mails_due", "lane, due_at", { where: "status = 'waiting'" }),
      index("mails_by_subject", "subject_id, created_at", { where: "subject_id IS NOT NULL" }),
      index("mails_by_app", "app_id, created_at"),
      index("mails_by_recipient", "recipient, created_at"),
      index("mails_settled", "settled_at", { where: "settled_at IS NOT NULL" }),
      index("mails_unsent_by_app", "app_id", { where: "content IS NOT NULL", since: 150 }),
      index("mails_faults", "due_at", {
        where: "status = 'waiting' AND attempts = 0 AND last_error IS NOT NULL",
        since: 150,
      }),
    ],
  },
);

/** One row for each recipient who has confirmed the mail address, or who wants no more mails from the app. */
export const mailAddresses = table(
  "mail_addresses",
  {
    app_id: ref(apps, "cascade"),
    recipient: text("address"),
    confirmed_at: instant().null(),
    unsubscribed_at: instant().null(),
  },
  {
    of: "app",
    erase: "The row of the person is deleted.",
    primary: ["app_id", "recipient"],
  },
);

/** The last mail that the server has read in each mailbox. A mail that repeatedly crashes the server is skipped. */
export const mailboxes = table(
  "mailboxes",
  {
    name: text("plain").primary(),
    uid_validity: text("plain"),
    last_uid: integer(),
    tried_uid: integer().null(),
    attempts: integer().default(0),
    tried_at: instant().null(),
  },
  { of: "deployment", erase: "Not changed: it is the mailbox of the operator." },
);

/** The original bytes of received mails: answers that became messages, and mails that programs wrote. */
export const mailOriginals = table(
  "mail_originals",
  {
    /** The id of the message that the mail became, or would have become. */
    id: id(),
    app_id: ref(apps, "cascade"),
    feedback_id: ref(feedback, "cascade"),
    report_id: text("plain"),
    /** The upload with the encrypted bytes of the mail. */
    upload: ref(uploads, "cascade"),
    key_sealed: text("sealed"),
    recipient: text("address"),
    sender: text("address"),
    addresses: text("text"),
    subject: text("text"),
    excerpt: text("text"),
    /** Why the mail did not become a message. */
    set_apart: text("plain").null(),
    created_at: instant(),
  },
  {
    of: "app",
    erase:
      "Mails from the person, mails to the person, and mails that contain the address are deleted with their bytes.",
    indexes: [
      index("mail_originals_by_thread", "feedback_id"),
      index("mail_originals_by_upload", "upload"),
      index("mail_originals_by_recipient", "recipient"),
      index("mail_originals_by_time", "created_at"),
      index("mail_originals_set_apart", "app_id, created_at", { where: "set_apart IS NOT NULL" }),
    ],
  },
);

export const mailSchema: readonly AnyTable[] = [mails, mailAddresses, mailboxes, mailOriginals];
