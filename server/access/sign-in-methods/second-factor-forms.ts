import { type ApiError, badRequest } from "../../../src/contract/errors.ts";
import { secondFactor } from "../../../src/contract/sign-in-methods.ts";
import { goTo, type Reply, reshowForm } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { showSignInMethods } from "./page.tsx";
import { showRecoveryCodes, showSetUp } from "./second-factor-set-up.tsx";

/** Answers with the page itself, so that the secret is in no address and no cookie. */
export function beginSecondFactor(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const body = { currentPassword: fields.text("currentPassword") };
      const made = await ask(secondFactor.begin, { body, idempotencyKey: fields.idempotencyKey });
      return showSetUp(visit, { made });
    },
    againWith(visit, "begin"),
  );
}

export function confirmSecondFactor(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const made = await ask(secondFactor.confirm, {
        body: { code: fields.text("code") },
        idempotencyKey: fields.idempotencyKey,
      });
      return showRecoveryCodes(visit, made.recoveryCodes);
    },
    (refusal) => showSetUp(visit, { form: { value: () => "", refusal: atCode(refusal) } }),
  );
}

export function renewRecoveryCodes(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const made = await ask(secondFactor.renewRecoveryCodes, {
        body: { code: fields.text("code") },
        idempotencyKey: fields.idempotencyKey,
      });
      return showRecoveryCodes(visit, made.recoveryCodes);
    },
    againWith(visit, "renew"),
  );
}

export function removeSecondFactor(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links } = visit;
  return reshowForm(
    async () => {
      const body = { code: fields.text("code") };
      await ask(secondFactor.remove, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.signInMethods, "second-factor-off");
    },
    againWith(visit, "remove"),
  );
}

/** Shows the page again, with this form open and its fault. */
export const againWith =
  (visit: SignedInVisit, act: string) =>
  (refusal: ApiError): Promise<Reply> =>
    showSignInMethods(visit, {
      factor: { act, form: { value: () => "", refusal: atCode(refusal) } },
    });

/** The fault stands at the field that the person must change. */
function atCode(refusal: ApiError): ApiError {
  if (refusal.code === "invalid_second_factor") return badRequest("code", "is wrong or was used before");
  return refusal.code === "invalid_credentials" ? badRequest("currentPassword", "is wrong") : refusal;
}
