import { limits } from "../../../src/contract/limits.ts";
import { TagName, tagColours } from "../../../src/contract/tags.ts";
import { tagKeyOf } from "../../feedback/tags/rules.ts";
import { accepted, id, instant, oneOf, orNull, text } from "../fields.ts";
import type { RecordKind } from "./record-kinds.ts";

/** A file must not bring a name that nobody can type: it could look like another name, or be invisible. */
const tagName = accepted(
  { safeParse: (name) => ({ success: TagName.safeParse(name).data === name }) },
  "the name of a tag, without commas and invisible characters",
);

/** The tags of an app. Threads refer to them. */
export const tags: RecordKind = {
  type: "tag",
  table: "tags",
  parent: "app_id",
  order: ["id"],
  columns: {
    id,
    name: tagName,
    colour: orNull(oneOf(...tagColours)),
    created_at: instant,
  },
  adjusted: (row) => ({ ...row, name_key: tagKeyOf(String(row.name)) }),
  left: { threads: "counted as the threads get their tags" },
};

/** The tags of a thread. */
export const threadTags: RecordKind = {
  type: "threadTag",
  table: "thread_tags",
  parent: "feedback_id",
  order: ["tag_id"],
  columns: {
    tag_id: id,
    created_at: instant,
    active_at: instant,
    status: oneOf("open", "in_progress", "resolved", "archived"),
  },
  left: { assignee_id: "a member of the old server" },
};

export const savedReplies: RecordKind = {
  type: "savedReply",
  table: "saved_replies",
  parent: "app_id",
  order: ["id"],
  columns: {
    id,
    title: text(2 * limits.savedReplyTitle),
    body: text(2 * limits.message),
    updated_by: orNull(id),
    created_at: instant,
    updated_at: instant,
  },
  people: ["updated_by"],
};

export const blockedSenders: RecordKind = {
  type: "blockedSender",
  table: "blocked_senders",
  parent: "app_id",
  order: ["id"],
  columns: {
    id,
    kind: oneOf("address", "domain"),
    sender: text(2 * limits.email),
    created_by: orNull(id),
    created_at: instant,
  },
  people: ["created_by"],
};
