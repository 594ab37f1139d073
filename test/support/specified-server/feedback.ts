import { fieldsOf, guarded, json, missingTexts, type Operations, refusal, withAppKey } from "./operation.ts";

const types = ["bug", "feature", "question", "general"];

/** Feedback: JSON only, and an answer without an id. */
export function feedbackOperations(received: Record<string, unknown>[]): Operations {
  return guarded(withAppKey, {
    "POST /api/v1/feedback/remote": (asked) => {
      const fields = fieldsOf(asked);
      if (!asked.headers["content-type"]?.startsWith("application/json")) return refusal(400, "Send JSON.");
      if (missingTexts(fields, ["message"]).length > 0 || !types.includes(String(fields.type)))
        return refusal(400, "A type and a message are required.");
      if (!areWithinLimits(fields)) return refusal(400, "There are too many files.");
      received.push(fields);
      return json(201, { success: true });
    },
  });
}

const most = { images: 3, videos: 2, attachments: 3 };

const areWithinLimits = (fields: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(most).every(([name, limit]) => {
    const files = fields[name] ?? [];
    return Array.isArray(files) && files.length <= limit;
  });
