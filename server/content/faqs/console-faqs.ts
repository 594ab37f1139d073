import type { consoleFaqs as contract } from "../../../src/contract/console-faqs.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { ownedApp } from "../../access/apps/owned-app.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { createFaq, type FaqKey, removeFaq, updateFaq } from "./faq-changes.ts";
import { faqListAnswer, replaceFaqs } from "./faq-list-changes.ts";
import { faqs as rows } from "./store.ts";

export function consoleFaqs(deps: Pick<Deps, "clock" | "database" | "newId">): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller, params }) {
      await ownedApp(deps.database, params.appId, caller);
      return faqListAnswer(deps.database, params.appId);
    },

    create: ({ caller, address, params: { appId }, body, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const faq = await createFaq(deps, tx, { appId, faq: body, by: caller.userId });
        await record(tx, { caller, address }, { action: "faq.create", appId, target: faq.id });
        return faq;
      }),

    replace: ({ caller, address, params: { appId }, body, ifMatch, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const changed = await replaceFaqs(deps, tx, { appId, wanted: body.faqs, ifMatch, by: caller.userId });
        if (changed) await record(tx, { caller, address }, { action: "faq.replace", appId });
        return rows.list(tx, appId);
      }),

    update: ({ caller, address, params, body, save }) =>
      save(async (tx) => {
        const key = await ownedFaq(tx, params.faqId, caller);
        const before = (await rows.list(tx, key.appId)).find(({ id }) => id === key.id);
        const faq = await updateFaq(deps, tx, { key, change: body, by: caller.userId });
        if (!faq) throw new ApiError("not_found");
        const changes = changesBetween({ ...before }, body, ["question", "answer"]);
        await record(
          tx,
          { caller, address },
          { action: "faq.update", appId: key.appId, target: faq.id, changes },
        );
        return faq;
      }),

    remove: ({ caller, address, params, save }) =>
      save(async (tx) => {
        const key = await ownedFaq(tx, params.faqId, caller);
        if (!(await removeFaq(tx, key))) throw new ApiError("not_found");
        await record(tx, { caller, address }, { action: "faq.delete", appId: key.appId, target: key.id });
        return { success: true };
      }),
  };
}

async function ownedFaq(tx: Transaction, id: string, viewer: Viewer): Promise<FaqKey> {
  const found = await rows.findApp(tx, id, viewer);
  if (!found) throw new ApiError("not_found");
  return { id, appId: found.appId };
}
