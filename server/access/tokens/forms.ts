import { agentScopes, maintainerScopes } from "../../../src/contract/endpoint.ts";
import { tokens } from "../../../src/contract/tokens.ts";
import { filledAgain } from "../../console/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { showTokens } from "./page.tsx";

/** Answers with the page itself, so that the token is in no address and no cookie. */
export function createToken(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const kind = fields.text("kind");
      const possible = kind === "agent" ? agentScopes : maintainerScopes;
      const scopes = possible.filter((scope) => fields.has(`scope:${scope}`));
      const body = {
        kind,
        label: fields.text("label"),
        appId: fields.text(kind === "agent" && fields.has("agentAppId") ? "agentAppId" : "appId") || null,
        scopes,
        expiresAt: endAfter(fields.text("days"), visit.now),
      };
      return showTokens(visit, {
        made: await ask(tokens.create, { body, idempotencyKey: fields.idempotencyKey }),
      });
    },
    (refusal) => showTokens(visit, { form: filledAgain(fields, refusal) }),
  );
}

const dayMilliseconds = 86_400_000;

const endAfter = (days: string, now: Date): string | null =>
  /^[1-9]\d{0,3}$/.test(days) ? new Date(now.getTime() + Number(days) * dayMilliseconds).toISOString() : null;

/** Answers with the page itself, as for a new token. */
export async function rotateToken(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  const body = { graceMinutes: Number(fields.text("graceMinutes")) };
  const params = { tokenId: param("tokenId") };
  const made = await ask(tokens.rotate, { params, body, idempotencyKey: fields.idempotencyKey });
  return showTokens(visit, { made });
}

export async function revokeToken({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  await ask(tokens.remove, { params: { tokenId: param("tokenId") }, idempotencyKey: fields.idempotencyKey });
  return goTo(links.tokens, "token-revoked");
}
