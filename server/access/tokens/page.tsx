import { type Token, tokens } from "../../../src/contract/tokens.ts";
import { Empty } from "../../console/empty.tsx";
import { filledWith } from "../../console/filled-form.ts";
import { type Filled, Select } from "../../console/forms.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { InTurns } from "../../console/in-turns.tsx";
import { LastUse } from "../../console/last-use.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { type Navigation, navigationOf } from "../../console/navigation.ts";
import { type Reply, show } from "../../console/reply.ts";
import { Secret } from "../../console/secret.tsx";
import { Line } from "../../console/text.tsx";
import { Ago, Timestamp } from "../../console/timestamp.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
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
            With an agent token an agent reads threads and proposes plans; if you tick it, it also reports its
            work on approved ones. A connection does the same for an agent that you allowed in your browser.
            With a maintainer token a script works for you, within its scopes. None of them can approve
            anything.
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
      <InTurns>
        {items.map((token) => (
          <TokenLine key={token.id} token={token} navigation={navigation} now={now} />
        ))}
      </InTurns>
    </ul>
  );

const kindNames: Readonly<Record<Token["kind"], string>> = {
  agent: "Agent",
  maintainer: "Maintainer",
  oauth: "Connection",
};

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
        {token.kind !== "oauth" && <code>{token.prefix}…</code>}
        <span class="badge">{kindNames[token.kind]}</span>
        {token.ended && <span class="badge attention">Ended</span>}
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
      {token.expiresAt !== null && (
        <span>
          {token.ended ? "ended " : "ends "}
          <Timestamp at={token.expiresAt} />
        </span>
      )}
    </p>
    {token.ended && token.kind === "oauth" && (
      <p class="small muted">
        Nothing works with it any more: it was not used for 90 days, or this server was restored from a
        backup. Connect the agent again.
      </p>
    )}
    {token.kind !== "oauth" && !token.ended && (
      <Rotation id={token.id} action={links.token(token.id, "rotate")} />
    )}
    <Removal what={removalOf(token)} action={links.token(token.id, "revoke")} />
  </li>
);

const graces = [
  ["0", "At once"],
  ["10", "In 10 minutes"],
  ["60", "In an hour"],
] as const;

const Rotation = ({ id, action }: { readonly id: string; readonly action: string }) => (
  <details class="reveal">
    <summary>New secret</summary>
    <form class="stack" method="post" action={action}>
      <p>
        The token stays the same, with its rights and the work that it has claimed. Only its secret is new.
      </p>
      <IdempotencyField />
      <Select
        form={filledWith({ graceMinutes: "10" })}
        name="graceMinutes"
        part={id}
        label="The old secret ends"
        options={graces}
      />
      <div class="actions">
        <button type="submit">Make a new secret</button>
      </div>
    </form>
  </details>
);

const removals = {
  token: ["Revoke", "Programs that use this token are refused from then on.", "Revoke token"],
  connection: [
    "End",
    "The agent is refused from then on. It can ask you to connect again.",
    "End connection",
  ],
  ended: [
    "Remove",
    "Nothing changes for the agent. The connection is no longer listed.",
    "Remove connection",
  ],
  over: ["Remove", "Nothing works with it any more. It is no longer listed.", "Remove token"],
} as const;

function removalOf({ kind, ended }: Token): keyof typeof removals {
  if (ended) return kind === "oauth" ? "ended" : "over";
  return kind === "oauth" ? "connection" : "token";
}

interface RemovalProps {
  readonly what: keyof typeof removals;
  readonly action: string;
}

const Removal = ({ what, action }: RemovalProps) => {
  const [summary, meaning, label] = removals[what];
  return (
    <details class="reveal">
      <summary>{summary}</summary>
      <form class="stack" method="post" action={action}>
        <p>{meaning}</p>
        <IdempotencyField />
        <div class="actions">
          <button class="danger" type="submit">
            {label}
          </button>
        </div>
      </form>
    </details>
  );
};
