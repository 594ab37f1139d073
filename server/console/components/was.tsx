import { fieldVersion, wasName } from "../changes.ts";

/** Remembers in a form which values it began with. */
export const Was = ({ current }: { readonly current: Readonly<Record<string, string>> }) => (
  <>
    {Object.entries(current).map(([name, value]) => (
      <input key={name} type="hidden" name={wasName(name)} value={fieldVersion(value)} />
    ))}
  </>
);
