import { fieldVersion, type Values, wasName } from "./changed-values.ts";

interface WasProps {
  readonly current: Values;
}

/** Remembers in a form which values it began with. */
export const OriginalValues = ({ current }: WasProps) => (
  <OriginalVersions
    versions={Object.fromEntries(Object.entries(current).map(([name, value]) => [name, fieldVersion(value)]))}
  />
);

/** The same for versions that are known already. */
export const OriginalVersions = ({ versions }: { readonly versions: Values }) => (
  <>
    {Object.entries(versions).map(([name, version]) => (
      <input key={name} type="hidden" name={wasName(name)} value={version} />
    ))}
  </>
);
