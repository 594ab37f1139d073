import * as z from "zod/mini";
import { NewApp } from "../../../src/contract/apps.ts";
import { AuditChange } from "../../../src/contract/audit.ts";
import { limits } from "../../../src/contract/limits.ts";
import * as access from "../../database/schema/access.ts";
import {
  accepted,
  actor,
  flag,
  id,
  instant,
  json,
  matching,
  newer,
  orNull,
  text,
  textWithIds,
  whole,
} from "../fields.ts";
import { recordOf } from "./record.ts";

/** The settings of the app. They are the first record of a file. */
export const appRecord = recordOf(access.apps, {
  type: "app",
  parent: "id",
  order: [],
  columns: {
    name: accepted(NewApp.shape.name, "the name of an app"),
    feedback_enabled: flag,
    changelog_enabled: flag,
    sender_pages: flag,
    github_repository: orNull(accepted(NewApp.shape.githubRepository, "a repository in the form owner/name")),
    approval_hours: orNull(whole(1, limits.approvalHours)),
    updated_by: orNull(id),
    updated_at: orNull(instant),
    created_at: instant,
    last_thread_number: newer(whole(0, 1e9), 0),
  },
  fixed: { owner_id: ({ ownerId }) => ownerId },
  people: ["updated_by"],
  left: {
    chat_webhook_url: "a secret",
    chat_format: "it is useless without the address of the chat, which is a secret",
    faqs_version: "counts changes in one database",
    changelog_version: "counts changes in one database",
    retention_days: "the new owner decides how long threads are kept, so that an import deletes none",
    events_read_at: "it records who reads the events of one server",
    start_put_away_at: "an imported app is new on its server",
  },
});

export const audit = recordOf(access.audit, {
  type: "audit",
  parent: "app_id",
  parentSql: "coalesce(app_id, owner_id)",
  order: ["at", "id"],
  columns: {
    id,
    at: instant,
    actor,
    action: matching(/^[a-z_]{1,50}\.[a-z_]{1,50}$/, "an action such as app.create"),
    target: orNull(textWithIds(1_000)),
    address: orNull(text(200)),
    label: orNull(text(1_000)),
    changes: orNull(json(z.array(AuditChange), "a list of changes", 100_000)),
  },
  fixed: { owner_id: ({ ownerId }) => ownerId },
});
