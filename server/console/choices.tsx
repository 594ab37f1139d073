import { type Filled, faultAt } from "./forms.tsx";

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint: string;
}

export interface ChoicesProps {
  readonly form: Filled;
  readonly name: string;
  readonly legend: string;
  readonly options: readonly Choice[];
  /** Keeps ids unique when a page has several choices of the same name. */
  readonly part?: string;
}

/** A choice of one option. Each option has a hint. */
export const Choices = ({ form, name, legend, options, part }: ChoicesProps) => {
  const fault = faultAt(form, name);
  const prefix = part === undefined ? name : `${part}-${name}`;
  return (
    <fieldset class="stack tight" aria-describedby={fault === undefined ? undefined : `${prefix}-fault`}>
      <legend>{legend}</legend>
      <div class="cards">
        {options.map(({ value, label, hint }) => (
          <label class="choice" key={value}>
            <input
              type="radio"
              name={name}
              value={value}
              id={`${prefix}-${value}`}
              checked={form.value(name) === value}
            />
            <span>
              <b>{label}</b>
              <span class="hint">{hint}</span>
            </span>
          </label>
        ))}
      </div>
      {fault !== undefined && (
        <p class="fault" id={`${prefix}-fault`}>
          {legend} {fault}.
        </p>
      )}
    </fieldset>
  );
};

export interface TickProps {
  readonly form: Filled;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
}

/** A checkbox with a label and a hint. */
export const Tick = ({ form, name, label, hint }: TickProps) => (
  <label class="choice">
    <input type="checkbox" name={name} value="on" checked={form.value(name) === "on"} />
    <span>
      <b>{label}</b>
      {hint !== undefined && <span class="hint">{hint}</span>}
    </span>
  </label>
);
