import { consoleFaqs } from "../../../src/contract/console-faqs.ts";
import { changedValues, givenFor } from "../../console/changed-values.ts";
import { filledAgain, versionOf } from "../../console/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { moveFaq } from "./faq-order.ts";
import { readFaq, showFaq, showNewFaq } from "./faq-page.tsx";
import { currentFaq, faqBody } from "./faq-values.ts";

export function createFaq(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, param } = visit;
  return reshowForm(
    async () => {
      const given = { question: fields.text("question"), answer: fields.text("answer") };
      const body = faqBody({ ...given, sortOrder: fields.text("sortOrder") });
      await ask(consoleFaqs.create, {
        params: { appId: param("appId") },
        body,
        idempotencyKey: fields.idempotencyKey,
      });
      return goTo(links.faqs(param("appId")), "faq-created");
    },
    (refusal) => showNewFaq(visit, filledAgain(fields, refusal)),
  );
}

export function updateFaq(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, param } = visit;
  return reshowForm(
    async () => {
      const current = currentFaq(await readFaq(visit));
      const body = faqBody(changedValues(fields, givenFor(fields, current), current));
      await ask(consoleFaqs.update, {
        params: { faqId: param("faqId") },
        body,
        idempotencyKey: fields.idempotencyKey,
      });
      return goTo(links.faqs(param("appId")), "changed");
    },
    (refusal) => showFaq(visit, filledAgain(fields, refusal)),
  );
}

export async function deleteFaq({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  await ask(consoleFaqs.remove, { params: { faqId: param("faqId") }, idempotencyKey: fields.idempotencyKey });
  return goTo(links.faqs(param("appId")), "faq-deleted");
}

/** Moves an entry by one place. If the list has changed since the form was shown, it is only shown again. */
export async function orderFaqs({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  const list = links.faqs(param("appId"));
  const faqs = await ask(consoleFaqs.list, { params: { appId: param("appId") } });
  const order = versionOf(faqs.map(({ id, sortOrder }) => [id, sortOrder]));
  if (order !== fields.text("order")) return goTo(list);
  const [id = "", direction] = fields.text("move").split(" ");
  for (const { id: faqId, sortOrder } of moveFaq(faqs, id, direction === "up" ? "up" : "down")) {
    const idempotencyKey = fields.idempotencyKey && `${fields.idempotencyKey}/${sortOrder}`;
    await ask(consoleFaqs.update, { params: { faqId }, body: { sortOrder }, idempotencyKey });
  }
  return goTo(list, "moved", `faq-${id}`);
}
