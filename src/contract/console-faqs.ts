import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { Faq, FaqChange, faqParams, ListedFaq, NewFaq, replacesFaqs, Success } from "./faqs.ts";

const path = "/api/v1/console/apps/:appId/faqs";
const entryPath = "/api/v1/console/faqs/:faqId";
const traits = { auth: "console", scope: "faqs:write", errors: ["not_found"] } as const;

export const consoleFaqs = {
  list: endpoint({
    ...traits,
    role: "viewer",
    method: "GET",
    path,
    summary: "List the FAQ entries of an app",
    large: true,
    params: appParams,
    success: { status: 200, body: z.array(ListedFaq) },
  }),
  create: endpoint({
    ...traits,
    role: "maintainer",
    method: "POST",
    path,
    summary: "Create an FAQ entry",
    params: appParams,
    body: NewFaq,
    success: { status: 201, body: Faq },
  }),
  replace: endpoint({
    ...traits,
    role: "maintainer",
    ...replacesFaqs,
    path,
    params: appParams,
  }),
  update: endpoint({
    ...traits,
    role: "maintainer",
    method: "PATCH",
    path: entryPath,
    summary: "Change an FAQ entry",
    params: faqParams,
    body: FaqChange,
    success: { status: 200, body: Faq },
  }),
  remove: endpoint({
    ...traits,
    role: "maintainer",
    method: "DELETE",
    path: entryPath,
    summary: "Delete an FAQ entry permanently",
    params: faqParams,
    success: { status: 200, body: Success },
  }),
} as const;
