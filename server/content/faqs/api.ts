import { ApiError } from "../../../src/contract/errors.ts";
import type { faqs as contract } from "../../../src/contract/faqs.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { createFaq, removeFaq, updateFaq } from "./faq-changes.ts";
import { faqListAnswer, publishedFaqs, replaceFaqs } from "./faq-list-changes.ts";
import { faqs as rows } from "./store.ts";

export const faqs = (
  deps: Pick<Deps, "answers" | "clock" | "database" | "newId">,
): Handlers<typeof contract> => ({
  list: ({ caller: { appId, faqsVersion }, query: { include } }) =>
    deps.answers.recall(
      { name: `faqs:${include ?? ""}:${appId}`, version: faqsVersion, now: deps.clock.now() },
      async () => ({
        answer: include
          ? await faqListAnswer(deps.database, appId)
          : await publishedFaqs(deps.database, appId),
      }),
    ),

  replace: ({ caller: { appId }, body, ifMatch, save }) =>
    save(async (tx) => {
      await replaceFaqs(deps, tx, { appId, wanted: body.faqs, ifMatch });
      return rows.list(tx, appId);
    }),

  create: ({ caller, body, save }) => save((tx) => createFaq(deps, tx, { appId: caller.appId, faq: body })),

  update: ({ caller, params, body, save }) =>
    save(async (tx) => {
      const key = { appId: caller.appId, id: params.faqId };
      const faq = await updateFaq(deps, tx, { key, change: body });
      if (!faq) throw new ApiError("not_found");
      return faq;
    }),

  remove: ({ caller, params, save }) =>
    save(async (tx) => {
      const removed = await removeFaq(tx, { appId: caller.appId, id: params.faqId });
      if (!removed) throw new ApiError("not_found");
      return { success: true };
    }),
});
