import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { feedbackThreads } from "../../../server/feedback/threads/store/threads.ts";
import type { Service } from "../service/service.ts";

const Thread = z.object({
  ...{ id: z.string(), subject: z.string(), message: z.string(), type: z.string(), status: z.string() },
  ...{ source: z.string(), name: z.string(), email: z.string(), metadata: z.record(z.string(), z.unknown()) },
  ...{ tags: z.array(z.string()), files: z.array(z.string()), plan: z.nullable(z.string()) },
  messages: z.array(z.object({ direction: z.enum(["inbound", "outbound", "note"]), body: z.string() })),
});

const Query = z.object({
  ...{ id: z.string(), q: z.string(), kind: z.string(), expected: z.array(z.string()) },
  ...{
    must_not: z.array(z.string()),
    may: z.optional(z.array(z.string())),
    corrected: z.optional(z.string()),
  },
});

export type JudgedQuery = z.output<typeof Query>;

const linesOf = (name: string): unknown[] =>
  readFileSync(new URL(name, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

export const judgedThreads = linesOf("corpus.ndjson").map((line) => z.parse(Thread, line));

export const judgedQueries = linesOf("queries.ndjson").map((line) => z.parse(Query, line));

const mediaTypes: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  pdf: "application/pdf",
};

/** Writes the threads of the test set into an app, the last one as the newest. Returns their ids by the ids of the set. */
export async function fillJudged({ deps }: Service, appId: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const start = deps.clock.now().getTime() - judgedThreads.length * 60_000;
  await deps.database.write(async (tx) => {
    const tags = new Map<string, string>();
    for (const [at, thread] of judgedThreads.entries()) {
      const id = deps.newId();
      const createdAt = new Date(start + at * 60_000).toISOString();
      ids.set(thread.id, id);
      await feedbackThreads.insert(tx, {
        ...{ id, appId, subject: thread.subject, message: thread.message, category: thread.type },
        ...{ source: thread.source, senderName: thread.name || null, senderEmail: thread.email || null },
        ...{ metadata: JSON.stringify(thread.metadata), dedupeKey: null, createdAt },
        files: JSON.stringify({ images: [], videos: [], attachments: [] }),
      });
      for (const { direction, body } of thread.messages) {
        const author = direction === "inbound" ? "sender" : "team";
        const message = { id: deps.newId(), feedback_id: id, direction, body, created_at: createdAt, author };
        await tx.insert("messages", message);
      }
      for (const name of thread.files) {
        const type = mediaTypes[name.split(".").at(-1)?.toLowerCase() ?? ""] ?? "application/octet-stream";
        const upload = { name: deps.newId(), app_id: appId, feedback_id: id, sha256: "0", media_type: type };
        await tx.insert("uploads", { ...upload, size: 1, file_name: name, created_at: createdAt });
      }
      for (const name of thread.tags) {
        const key = name.toLowerCase();
        const tag = tags.get(key) ?? deps.newId();
        if (!tags.has(key))
          await tx.insert("tags", { id: tag, app_id: appId, name, name_key: key, created_at: createdAt });
        tags.set(key, tag);
        const times = { created_at: createdAt, active_at: createdAt };
        await tx.insert("thread_tags", { feedback_id: id, tag_id: tag, status: thread.status, ...times });
      }
      if (thread.plan !== null) {
        const run = { id: deps.newId(), feedback_id: id, app_id: appId, status: "rejected", summary: "-" };
        await tx.insert("runs", { ...run, plan: thread.plan, created_at: createdAt });
      }
      await tx.run("UPDATE feedback SET status = ? WHERE id = ?", thread.status, id);
    }
  });
  return ids;
}
