import { tokens } from "../../../../src/contract/console/tokens.ts";
import { agentScopes, maintainerScopes } from "../../../../src/contract/endpoint.ts";
import { filledAgain } from "../../kit/form/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../reply.ts";
import type { SignedInVisit } from "../../visit.ts";
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
      };
      return showTokens(visit, {
        made: await ask(tokens.create, { body, idempotencyKey: fields.idempotencyKey }),
      });
    },
    (refusal) => showTokens(visit, { form: filledAgain(fields, refusal) }),
  );
}

export async function revokeToken({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  await ask(tokens.remove, { params: { tokenId: param("tokenId") }, idempotencyKey: fields.idempotencyKey });
  return goTo(links.tokens, "token-revoked");
}
