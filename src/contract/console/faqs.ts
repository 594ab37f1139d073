import * as z from "zod/mini";
import { endpoint } from "../endpoint.ts";
import { Faq, FaqChange, faqParams, ListedFaq, NewFaq, Success } from "../faqs.ts";
import { uuid } from "../fields.ts";
import { appParams } from "./apps.ts";

const ReplacedFaq = z.extend(NewFaq, { id: z.optional(uuid) });
export type ReplacedFaq = z.output<typeof ReplacedFaq>;

const path = "/api/v1/console/apps/:appId/faqs";
const entryPath = "/api/v1/console/faqs/:faqId";
const traits = { auth: "console", scope: "faqs:write", errors: ["not_found"] } as const;

export const consoleFaqs = {
  list: endpoint({
    ...traits,
    method: "GET",
    path,
    summary: "List the FAQ entries of an app",
    large: true,
    params: appParams,
    success: { status: 200, body: z.array(ListedFaq) },
  }),
  create: endpoint({
    ...traits,
    method: "POST",
    path,
    summary: "Create an FAQ entry",
    params: appParams,
    body: NewFaq,
    success: { status: 201, body: Faq },
  }),
  replace: endpoint({
    ...traits,
    method: "PUT",
    path,
    summary:
      "Make the FAQ of an app this list: entries with an id are kept or changed, others created, missing ones deleted",
    params: appParams,
    body: z.object({
      faqs: z.array(ReplacedFaq).check(z.maxLength(1_000, "must have at most 1000 elements")),
    }),
    success: { status: 200, body: z.array(ListedFaq) },
  }),
  update: endpoint({
    ...traits,
    method: "PATCH",
    path: entryPath,
    summary: "Change an FAQ entry",
    params: faqParams,
    body: FaqChange,
    success: { status: 200, body: Faq },
  }),
  remove: endpoint({
    ...traits,
    method: "DELETE",
    path: entryPath,
    summary: "Delete an FAQ entry permanently",
    params: faqParams,
    success: { status: 200, body: Success },
  }),
} as const;
