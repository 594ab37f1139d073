import { randomUUID } from "node:crypto";
import {
  fieldsOf,
  guarded,
  json,
  missingTexts,
  notFound,
  type Operations,
  refusal,
  withAppKey,
} from "./operation.ts";

export interface Faq {
  readonly id: string;
  readonly question: unknown;
  readonly answer: unknown;
  readonly sortOrder: number;
}

const at = "2026-11-21T09:30:00.000Z";
const path = "/api/v1/faqs/remote";

export interface Faqs {
  readonly entries: Map<string, Faq>;
  /** Ids of entries that cannot be changed. */
  readonly broken: ReadonlySet<string>;
}

/** The FAQ: no ETag, and no change of the whole list. */
export function faqOperations({ entries: faqs, broken }: Faqs): Operations {
  return guarded(withAppKey, {
    [`GET ${path}`]: () =>
      json(
        200,
        [...faqs.values()]
          .sort((one, other) => one.sortOrder - other.sortOrder)
          .map((faq) => ({ ...faq, createdAt: at, updatedAt: at })),
      ),
    [`POST ${path}`]: (asked) => {
      const { question, answer, sortOrder, ...more } = fieldsOf(asked);
      if (missingTexts({ question, answer }, ["question", "answer"]).length > 0)
        return refusal(400, "A question and an answer are required.");
      if (Object.keys(more).length > 0) return refusal(400, "There are unknown fields.");
      const faq = { id: randomUUID(), question, answer, sortOrder: Number(sortOrder ?? faqs.size + 1) };
      faqs.set(faq.id, faq);
      return json(201, faq);
    },
    [`PATCH ${path}/{faqId}`]: (asked) => {
      const faq = faqs.get(asked.params.faqId ?? "");
      if (!faq) return notFound;
      if (broken.has(faq.id)) return refusal(400, "This entry is locked.");
      const changed = { ...faq, ...fieldsOf(asked), id: faq.id };
      faqs.set(faq.id, changed);
      return json(200, changed);
    },
    [`DELETE ${path}/{faqId}`]: ({ params }) =>
      faqs.delete(params.faqId ?? "") ? json(200, { success: true }) : notFound,
  });
}
