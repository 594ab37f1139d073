import { keys } from "../../../src/contract/keys.ts";
import { filledAgain } from "../../console/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { showApp } from "./page.tsx";

/** Answers with the page itself, so that the key is in no address and no cookie. A repeated form shows the same key. */
export function createKey(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  return reshowForm(
    async () => {
      const body = { label: fields.text("label"), kind: fields.text("kind") };
      const made = await ask(keys.create, {
        params: { appId: param("appId") },
        body,
        idempotencyKey: fields.idempotencyKey,
      });
      return showApp(visit, { made });
    },
    (refusal) => showApp(visit, { key: filledAgain(fields, refusal) }),
  );
}

export async function regenerateKey(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  const params = { appId: param("appId"), keyId: param("keyId") };
  return showApp(visit, {
    made: await ask(keys.regenerate, { params, idempotencyKey: fields.idempotencyKey }),
  });
}

export async function revokeKey({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  const params = { appId: param("appId"), keyId: param("keyId") };
  await ask(keys.remove, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.app(params.appId), "key-revoked");
}
