import { passkeys } from "../../../src/contract/passkeys.ts";
import { filledAgain } from "../../console/filled-form.ts";
import { passkeyIn } from "../../console/passkey-parts.tsx";
import { goTo, type Reply, reshowForm } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { showNewPasskey } from "./passkeys.tsx";
import { againWith } from "./second-factor-forms.ts";

export function beginPasskey(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const body = { code: fields.text("code") };
      const asked = await ask(passkeys.begin, { body, idempotencyKey: fields.idempotencyKey });
      return showNewPasskey(visit, { asked });
    },
    againWith(visit, "passkey"),
  );
}

export function createPasskey(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links } = visit;
  return reshowForm(
    async () => {
      const body = { ...passkeyIn(fields.text("passkey")), name: fields.text("name") };
      await ask(passkeys.create, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.signInMethods, "passkey-added");
    },
    (refusal) => showNewPasskey(visit, { form: filledAgain(fields, refusal) }),
  );
}

export function removePasskey(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, param } = visit;
  const passkeyId = param("passkeyId");
  return reshowForm(
    async () => {
      const body = { code: fields.text("code") };
      await ask(passkeys.remove, { params: { passkeyId }, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.signInMethods, "passkey-removed");
    },
    againWith(visit, passkeyId),
  );
}
