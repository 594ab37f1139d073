import type { App } from "../../../src/contract/apps.ts";
import { agentScopes, maintainerScopes, type TokenScope } from "../../../src/contract/endpoint.ts";
import { visibleLine } from "../../../src/words/hidden.ts";
import { Choices } from "../../console/choices.tsx";
import { filledWith } from "../../console/filled-form.ts";
import { type Filled, faultAt, Select, TextField } from "../../console/forms.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import type { Navigation } from "../../console/navigation.ts";
import { Refused } from "../../console/parts.tsx";

export interface NewTokenProps {
  readonly navigation: Navigation;
  readonly form: Filled | undefined;
}

export const NewToken = ({ navigation: { links, apps }, form }: NewTokenProps) => {
  const shown = form ?? filledWith({ kind: "agent" });
  return (
    <section class="card" aria-labelledby="new-token">
      <form class="stack maker" method="post" action={links.tokens}>
        <h2 id="new-token">Make a token</h2>
        <Refused refusal={form?.refusal} />
        <IdempotencyField />
        <Choices form={shown} name="kind" legend="Used by" options={kinds} />
        <TextField form={shown} name="label" label="Label" hint="Who or what will use it." required />
        <ChosenApp form={shown} apps={apps} />
        <Select form={shown} name="days" label="Ends" options={ends} />
        <Scopes form={shown} kind="for-agents" legend="What the agent may do besides" scopes={agentScopes} />
        <Scopes form={shown} kind="for-scripts" legend="What a script may do" scopes={maintainerScopes} />
        <div class="actions">
          <button class="primary" type="submit">
            Make token
          </button>
        </div>
      </form>
    </section>
  );
};

interface ChosenAppProps {
  readonly form: Filled;
  readonly apps: readonly App[];
}

/** An agent acts for an owner, so a member who owns not all of the apps chooses among fewer for it. (rule K22) */
function ChosenApp({ form, apps }: ChosenAppProps) {
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
          hint="Only those that you own."
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
    hint: "Reads threads and proposes plans; you decide. It can do more only if you tick it below.",
  },
  { value: "maintainer", label: "A script", hint: "Does what you tick below, in your name." },
] as const;

const scopeNames: Record<TokenScope, string> = {
  "feedback:read": "Read feedback",
  "feedback:write": "Change threads, add notes and replies",
  "faqs:write": "Read and write the FAQ",
  "changelog:write": "Read and write the changelog, publish",
  "testing:manage": "Manage closed testing",
  "apps:read": "Read apps, and the labels of their keys and of tokens",
  "apps:write": "Change the settings of apps, revoke keys and tokens",
  "audit:read": "Read the audit log",
  "apps:export": "Export everything of the apps that you own, with all addresses",
  "runs:work": "Claim approved proposals, and report progress and outcome",
};

interface ScopesProps {
  readonly form: Filled;
  readonly kind: "for-agents" | "for-scripts";
  readonly legend: string;
  readonly scopes: readonly TokenScope[];
}

/** A checkbox for each scope. Each has its own name, so that the form can be shown again as it was sent. */
const Scopes = ({ form, kind, legend, scopes }: ScopesProps) => {
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
          Then only one worker carries out an approved plan, and the thread shows its work. It approves
          nothing and writes to no sender.
        </p>
      )}
      {fault !== undefined && kind === "for-scripts" && <p class="fault">The scopes {fault}.</p>}
    </fieldset>
  );
};
