import { people } from "../../src/contract/people.ts";
import { filledAgain } from "../console/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../console/reply.ts";
import type { SignedInVisit } from "../console/visit.ts";
import { showPeople } from "./page.tsx";
import { showReceipt } from "./receipt-page.tsx";

/** Answers with the page itself, so that the address of the person is in no address of a page. */
export function findPerson(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  const email = fields.text("email").trim();
  return reshowForm(
    async () =>
      showPeople(visit, { found: { email, preview: await ask(people.preview, { body: { email } }) } }),
    (refusal) => showPeople(visit, { form: filledAgain(fields, refusal) }),
  );
}

export function erasePerson(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links } = visit;
  return reshowForm(
    async () => {
      const body = { email: fields.text("email") };
      const { id } = await ask(people.erase, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.receipt(id), "erasure-begun");
    },
    (refusal) => showPeople(visit, { form: filledAgain(fields, refusal) }),
  );
}

export function checkReceipt(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  return reshowForm(
    async () => {
      const params = { erasureId: param("erasureId") };
      const { matches } = await ask(people.check, { params, body: { email: fields.text("email") } });
      return showReceipt(visit, { matches });
    },
    (refusal) => showReceipt(visit, { form: filledAgain(fields, refusal) }),
  );
}
