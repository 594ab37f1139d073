import type { TableRule } from "./table-rule.ts";

/** The tables by which a team sorts the feedback of its apps. */
export const tablesOfTriage: Readonly<Record<string, TableRule>> = {
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
