import { maintainerScopes } from "../../../../src/contract/endpoint.ts";
import { visibleLine } from "../../kit/display/visible-text.ts";
import { Choices } from "../../kit/form/choices.tsx";
import { type Filled, faultAt, Select, TextField } from "../../kit/form/field.tsx";
import { filledWith } from "../../kit/form/filled-form.ts";
import { IdempotencyField } from "../../kit/form/idempotency-field.tsx";
import type { Navigation } from "../../kit/layout/navigation.ts";
import { Refused } from "../../kit/layout/notice.tsx";

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
        <Choices form={shown} name="kind" legend="For whom" options={kinds} />
        <TextField form={shown} name="label" label="Label" hint="Who or what will use it." required />
        <Select
          form={shown}
          name="appId"
          label="Apps"
          options={[
            ["", "All my apps, including future ones"],
            ...apps.map(({ id, name }) => [id, `Only ${visibleLine(name)}`] as const),
          ]}
        />
        <Scopes form={shown} />
        <div class="actions">
          <button class="primary" type="submit">
            Make token
          </button>
        </div>
      </form>
    </section>
  );
};

const kinds = [
  { value: "agent", label: "An agent", hint: "Reads threads and proposes plans; you decide." },
  { value: "maintainer", label: "A script", hint: "Does what you tick below, in your name." },
] as const;

const scopeNames: Record<(typeof maintainerScopes)[number], string> = {
  "feedback:read": "Read feedback",
  "feedback:write": "Change threads, add notes and replies",
  "faqs:write": "Read and write the FAQ",
  "changelog:write": "Read and write the changelog, publish",
  "testing:manage": "Manage closed testing",
  "apps:read": "Read apps, and the labels of their keys and of tokens",
  "apps:write": "Change the settings of apps, revoke keys and tokens",
  "audit:read": "Read the audit log",
};

/** A checkbox for each scope. Each has its own name, so that the form can be shown again as it was sent. */
const Scopes = ({ form }: { readonly form: Filled }) => {
  const fault = faultAt(form, "scopes");
  return (
    <fieldset class="for-scripts stack tight">
      <legend>What a script may do</legend>
      {maintainerScopes.map((scope) => (
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
      {fault !== undefined && <p class="fault">The scopes {fault}.</p>}
    </fieldset>
  );
};
