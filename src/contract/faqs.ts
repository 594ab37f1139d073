import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { instant, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";

const sortOrder = z
  .int()
  .check(
    z.minimum(-limits.sortOrder, `must be at least -${limits.sortOrder}`),
    z.maximum(limits.sortOrder, `must be at most ${limits.sortOrder}`),
  );

export const NewFaq = z.object({
  question: text(1, limits.question),
  answer: text(1, limits.answer),
  /** Without a number the entry comes last. */
  sortOrder: z.optional(z.nullable(sortOrder)),
});
export type NewFaq = z.output<typeof NewFaq>;

export const FaqChange = z.extend(z.partial(NewFaq), { sortOrder: z.optional(sortOrder) });
export type FaqChange = z.output<typeof FaqChange>;

export const Faq = z.object({ id: uuid, question: z.string(), answer: z.string(), sortOrder: z.int() });
export type Faq = z.output<typeof Faq>;

export const ListedFaq = z.extend(Faq, { createdAt: instant, updatedAt: instant });
export type ListedFaq = z.output<typeof ListedFaq>;

export const faqParams = z.object({ faqId: uuid });
export const Success = z.object({ success: z.boolean() });

export const faqs = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/faqs/remote",
    summary: "List the FAQ entries, ordered by sortOrder",
    large: true,
    auth: "appKey",
    success: { status: 200, body: z.array(ListedFaq) },
    errors: [],
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/faqs/remote",
    summary: "Create an FAQ entry",
    auth: "appKey",
    scope: "faqs:write",
    body: NewFaq,
    success: { status: 201, body: Faq },
    errors: [],
    rateLimit: "faqWrites",
    countsRefusals: true,
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/v1/faqs/remote/:faqId",
    summary: "Change an FAQ entry",
    auth: "appKey",
    scope: "faqs:write",
    params: faqParams,
    body: FaqChange,
    success: { status: 200, body: Faq },
    errors: ["not_found"],
    rateLimit: "faqWrites",
    countsRefusals: true,
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/v1/faqs/remote/:faqId",
    summary: "Delete an FAQ entry permanently",
    auth: "appKey",
    scope: "faqs:write",
    params: faqParams,
    success: { status: 200, body: Success },
    errors: ["not_found"],
    rateLimit: "faqWrites",
    countsRefusals: true,
  }),
} as const;
