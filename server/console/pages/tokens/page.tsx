import { type Token, tokens } from "../../../../src/contract/console/tokens.ts";
import { LastUse } from "../../kit/display/last-use.tsx";
import { Secret } from "../../kit/display/secret.tsx";
import { Ago } from "../../kit/display/timestamp.tsx";
import { Line } from "../../kit/display/user-text.tsx";
import type { Filled } from "../../kit/form/field.tsx";
import { IdempotencyField } from "../../kit/form/idempotency-field.tsx";
import { ConsolePage } from "../../kit/layout/console-page.tsx";
import { Empty } from "../../kit/layout/empty.tsx";
import { type Navigation, navigationOf } from "../../kit/layout/navigation.ts";
import { type Reply, show } from "../../reply.ts";
import type { SignedInVisit } from "../../visit.ts";
import { NewToken } from "./new-token.tsx";

export interface TokenForms {
  readonly form?: Filled;
  /** The new token. Its secret is shown only this once. */
  readonly made?: { readonly label: string; readonly token: string };
}

export const tokensPage = (visit: SignedInVisit): Promise<Reply> => showTokens(visit);

export async function showTokens(visit: SignedInVisit, { form, made }: TokenForms = {}): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const { items } = await visit.ask(tokens.list);
  return show(
    <ConsolePage navigation={navigation} title="Tokens" narrow>
      <div class="head">
        <div>
          <h1>Tokens</h1>
          <p>
            With an agent token an agent reads threads and proposes plans; it can do nothing else. With a
            maintainer token a script works for you, within its scopes. Neither can approve anything.
          </p>
        </div>
      </div>
      <div class="stack wide">
        {made && (
          <div class="card fresh">
            <Secret label={`The new token for ${made.label}`} secret={made.token} />
          </div>
        )}
        <TokenList navigation={navigation} items={items} now={visit.now} />
        <NewToken navigation={navigation} form={form} />
      </div>
    </ConsolePage>,
    form?.refusal?.status,
  );
}

interface TokenListProps {
  readonly navigation: Navigation;
  readonly items: readonly Token[];
  readonly now: Date;
}

const TokenList = ({ navigation, items, now }: TokenListProps) =>
  items.length === 0 ? (
    <Empty title="No tokens yet">
      <p>Make one for the agent that reads your feedback, or for a script that updates the FAQ.</p>
    </Empty>
  ) : (
    <ul class="list">
      {items.map((token) => (
        <TokenLine key={token.id} token={token} navigation={navigation} now={now} />
      ))}
    </ul>
  );

interface TokenLineProps {
  readonly token: Token;
  readonly navigation: Navigation;
  readonly now: Date;
}

const TokenLine = ({ token, navigation: { links, apps }, now }: TokenLineProps) => (
  <li>
    <div class="row spread">
      <b>
        <Line text={token.label} />
      </b>
      <span class="row">
        <code>{token.prefix}…</code>
        <span class="badge">{token.kind === "agent" ? "Agent" : "Maintainer"}</span>
      </span>
    </div>
    <p class="under">
      <span>
        {token.appId === null ? (
          "all apps"
        ) : (
          <Line text={apps.find(({ id }) => id === token.appId)?.name ?? token.appId} />
        )}
      </span>
      {token.scopes.length > 0 && <span>{token.scopes.join(", ")}</span>}
      <span>
        made <Ago at={token.createdAt} now={now} />
      </span>
      <LastUse at={token.lastUsedAt} now={now} />
    </p>
    <details class="reveal">
      <summary>Revoke</summary>
      <form class="stack" method="post" action={links.token(token.id, "revoke")}>
        <p>Programs that use this token are refused from then on.</p>
        <IdempotencyField />
        <div class="actions">
          <button class="danger" type="submit">
            Revoke token
          </button>
        </div>
      </form>
    </details>
  </li>
);
