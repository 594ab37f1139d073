import { limits } from "../../../src/contract/limits.ts";
import type { Token } from "../../../src/contract/tokens.ts";
import { visibleLine } from "../../../src/words/hidden.ts";
import { type Filled, Select, TextField } from "../../console/forms.tsx";
import type { Navigation } from "../../console/navigation.ts";
import { auditActionNames } from "./audit-action-names.ts";

export interface AuditFiltersProps {
  readonly navigation: Navigation;
  readonly form: Filled;
  /** The tokens to propose. */
  readonly tokens: readonly Token[];
}

/** The form that filters the audit log by app, action, person or token, and days. */
export const AuditFilters = ({ navigation, form, tokens }: AuditFiltersProps) => (
  <search>
    <form class="card stack filter-form" method="get" action={navigation.links.audit}>
      <div class="columns many">
        <Select
          form={form}
          name="app"
          label="App"
          options={[
            ["", "All apps"],
            ...navigation.apps.map(({ id, name }) => [id, visibleLine(name)] as const),
          ]}
        />
        <Select form={form} name="action" label="What was done" options={actions()} />
        <TextField
          form={form}
          name="actor"
          label="Who"
          placeholder="E-mail, token"
          maxLength={limits.email}
          autocomplete="off"
          list="actors"
        />
        <TextField form={form} name="from" label="First day (UTC)" type="date" />
        <TextField form={form} name="until" label="Last day (UTC)" type="date" />
      </div>
      <datalist id="actors">
        <option value={navigation.email} />
        <option value="agent" label="Every agent" />
        {tokens.map(({ id, label }) => (
          <option key={id} value={id} label={`Token ${visibleLine(label)}`} />
        ))}
      </datalist>
      <div class="actions">
        <button type="submit">Filter</button>
      </div>
    </form>
  </search>
);

const actions = (): (readonly [string, string])[] => [
  ["", "Everything"],
  ...[...auditActionNames].sort(([, a], [, b]) => a.localeCompare(b, "en")),
];
