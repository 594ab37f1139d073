import type { App } from "../../../src/contract/apps.ts";
import { type Token, tokens } from "../../../src/contract/credentials.ts";
import { agentScopes, maintainerScopes, type TokenScope } from "../../../src/contract/endpoint.ts";
import { visibleLine } from "../../../src/words/visible.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../../console/definitions.ts";
import {
  Choices,
  type Filled,
  faultAt,
  filledAgain,
  filledWith,
  IdempotencyField,
  Select,
  TextField,
} from "../../console/forms.tsx";
import { ConsolePage, type Navigation, navigationOf } from "../../console/layout.tsx";
import { Empty, Line, Refused, Secret } from "../../console/parts.tsx";
import { goTo, InTurns, type Reply, reshowForm, show } from "../../console/respond.tsx";
import { Ago, LastUse, Timestamp } from "../../console/times.tsx";

/** Answers with the page that shows the token. A redirect would put the token into an address or a cookie. */
function createToken(visit: SignedInVisit): Promise<Reply> {
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

/** Replaces the secret of a token, and answers with the page that shows the new secret. */
async function rotateToken(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  const body = { graceMinutes: Number(fields.text("graceMinutes")) };
  const params = { tokenId: param("tokenId") };
  const made = await ask(tokens.rotate, { params, body, idempotencyKey: fields.idempotencyKey });
  return showTokens(visit, { made });
}

async function revokeToken({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"token-revoked">> {
  await ask(tokens.remove, { params: { tokenId: param("tokenId") }, idempotencyKey: fields.idempotencyKey });
  return goTo(links.tokens, "token-revoked");
}

async function showTokens(
  visit: SignedInVisit,
  {
    form,
    made,
  }: {
    readonly form?: Filled;
    /** The new token. Its secret is shown only once. */
    readonly made?: { readonly label: string; readonly token: string };
  } = {},
): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const { items } = await visit.ask(tokens.list);
  return show(
    <ConsolePage navigation={navigation} title="Tokens" narrow>
      <div class="head">
        <div>
          <h1>Tokens</h1>
          <p>
            With an agent token, an agent reads threads and proposes plans. If you allow it, the agent also
            reports its work on approved plans. A connection gives the same rights to an agent that you have
            allowed in your browser. With a maintainer token, a script acts for you, within the scopes of the
            token. No token and no connection can approve a plan.
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

const TokenList = ({
  navigation,
  items,
  now,
}: {
  readonly navigation: Navigation;
  readonly items: readonly Token[];
  readonly now: Date;
}) =>
  items.length === 0 ? (
    <Empty title="No tokens yet">
      <p>Create one for the agent that reads your feedback, or for a script that updates the FAQ.</p>
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

const TokenLine = ({
  token,
  navigation: { links, apps },
  now,
}: {
  readonly token: Token;
  readonly navigation: Navigation;
  readonly now: Date;
}) => (
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
        created <Ago at={token.createdAt} now={now} />
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
        This connection no longer works, because it was not used for 90 days or because this server was
        restored from a backup. Connect the agent again.
      </p>
    )}
    {token.kind !== "oauth" && !token.ended && (
      <Rotation id={token.id} action={links.token(token.id, "rotate")} />
    )}
    <Removal what={removalOf(token)} action={links.token(token.id, "revoke")} />
  </li>
);

const graces = [
  ["0", "Immediately"],
  ["10", "In 10 minutes"],
  ["60", "In an hour"],
] as const;

const Rotation = ({ id, action }: { readonly id: string; readonly action: string }) => (
  <details class="reveal">
    <summary>New secret</summary>
    <form class="stack" method="post" action={action}>
      <p>The rights of the token and the work that it has claimed do not change. Only its secret changes.</p>
      <IdempotencyField />
      <Select
        form={filledWith({ graceMinutes: "10" })}
        name="graceMinutes"
        part={id}
        label="The old secret stops working"
        options={graces}
      />
      <div class="actions">
        <button type="submit">Create a new secret</button>
      </div>
    </form>
  </details>
);

const removals = {
  token: ["Revoke", "Programs that use this token lose access immediately.", "Revoke token"],
  connection: [
    "End",
    "The agent loses access immediately. It can ask you to connect again.",
    "End connection",
  ],
  ended: ["Remove", "The connection has already ended. It disappears from this list.", "Remove connection"],
  over: ["Remove", "The token no longer works. It disappears from this list.", "Remove token"],
} as const;

function removalOf({ kind, ended }: Token): keyof typeof removals {
  if (ended) return kind === "oauth" ? "ended" : "over";
  return kind === "oauth" ? "connection" : "token";
}

const Removal = ({ what, action }: { readonly what: keyof typeof removals; readonly action: string }) => {
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

const NewToken = ({
  navigation: { links, apps },
  form,
}: {
  readonly navigation: Navigation;
  readonly form: Filled | undefined;
}) => {
  const shown = form ?? filledWith({ kind: "agent" });
  return (
    <section class="card" aria-labelledby="new-token">
      <form class="stack maker" method="post" action={links.tokens}>
        <h2 id="new-token">Create a token</h2>
        <Refused refusal={form?.refusal} />
        <IdempotencyField />
        <Choices form={shown} name="kind" legend="Used by" options={kinds} />
        <TextField
          form={shown}
          name="label"
          label="Label"
          hint="The person or program that will use it."
          required
        />
        <ChosenApp form={shown} apps={apps} />
        <Select form={shown} name="days" label="Ends" options={ends} />
        <Scopes form={shown} kind="for-agents" legend="What else the agent may do" scopes={agentScopes} />
        <Scopes form={shown} kind="for-scripts" legend="What a script may do" scopes={maintainerScopes} />
        <div class="actions">
          <button class="primary" type="submit">
            Create token
          </button>
        </div>
      </form>
    </section>
  );
};

/** An agent acts for an owner, so the list for an agent contains only apps that the person owns. (rule K22) */
function ChosenApp({ form, apps }: { readonly form: Filled; readonly apps: readonly App[] }) {
  const owned = apps.filter(({ role }) => role === "owner");
  if (owned.length === apps.length)
    return <Select form={form} name="appId" label="Apps" options={optionsOf(apps)} />;
  return (
    <>
      <div class="for-agents">
        <Select
          form={form}
          name="agentAppId"
          label="Apps of the agent"
          hint="Only apps that you own."
          options={optionsOf(owned)}
        />
      </div>
      <div class="for-scripts">
        <Select form={form} name="appId" label="Apps of the script" options={optionsOf(apps)} />
      </div>
    </>
  );
}

const optionsOf = (apps: readonly App[]) => [
  ["", "All my apps, including future ones"] as const,
  ...apps.map(({ id, name }) => [id, `Only ${visibleLine(name)}`] as const),
];

const ends = [
  ["", "Only when you revoke it"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
] as const;

const kinds = [
  {
    value: "agent",
    label: "An agent",
    hint: "Reads threads and proposes plans, on which you decide. It may do more only if you allow more below.",
  },
  {
    value: "maintainer",
    label: "A script",
    hint: "Has the rights that you select below, and acts in your name.",
  },
] as const;

const scopeNames: Record<TokenScope, string> = {
  "feedback:read": "Read feedback",
  "feedback:write": "Change threads, add notes and replies",
  "faqs:write": "Read and write the FAQ",
  "changelog:write": "Read, write and publish release notes",
  "testing:manage": "Manage closed testing",
  "apps:read": "Read apps, and the labels of their keys and tokens",
  "apps:write": "Change the settings of apps, revoke keys and tokens",
  "audit:read": "Read the audit log",
  "apps:export": "Export all data of the apps that you own, including all e-mail addresses",
  "events:read": "Read the events of the apps: ids and states, no texts",
  "runs:work": "Claim approved proposals, and report progress and outcome",
};

/** Each checkbox has its own field name, so that a refused form can show which ones were ticked. */
const Scopes = ({
  form,
  kind,
  legend,
  scopes,
}: {
  readonly form: Filled;
  readonly kind: "for-agents" | "for-scripts";
  readonly legend: string;
  readonly scopes: readonly TokenScope[];
}) => {
  const fault = faultAt(form, "scopes");
  return (
    <fieldset class={`${kind} stack tight`}>
      <legend>{legend}</legend>
      {scopes.map((scope) => (
        <label class="choice" key={scope}>
          <input
            type="checkbox"
            name={`scope:${scope}`}
            value="on"
            checked={form.value(`scope:${scope}`) === "on"}
          />
          <span>
            {scopeNames[scope]} <code class="muted">{scope}</code>
          </span>
        </label>
      ))}
      {kind === "for-agents" && (
        <p class="hint">
          With this scope, a worker claims an approved plan before it starts. So only one worker carries out
          the plan, and the thread shows the progress. The agent cannot approve a plan or write to a sender.
        </p>
      )}
      {fault !== undefined && kind === "for-scripts" && <p class="fault">The scopes {fault}.</p>}
    </fieldset>
  );
};

const tokensPage = definePage({
  at: (links) => links.tokens,
  needs: "account",
  show: showTokens,
});

export const definitions: Definitions = [
  tokensPage,
  defineForm({
    at: (links) => links.tokens,
    page: tokensPage,
    act: createToken,
    done: {},
    word: "makeToken",
    notDone: "No token was created.",
  }),
  defineForm({
    at: (links) => links.token(":tokenId", "revoke"),
    page: tokensPage,
    act: revokeToken,
    done: { "token-revoked": "The token is revoked. It no longer works." },
    word: "revokeToken",
    notDone: "The token was not revoked.",
  }),
  defineForm({
    at: (links) => links.token(":tokenId", "rotate"),
    page: tokensPage,
    act: rotateToken,
    done: {},
    word: "rotateToken",
    notDone: "The secret of the token was not replaced.",
  }),
];
