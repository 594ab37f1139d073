import { fieldVersion, originalVersionName, type Values } from "./changed-values.ts";

interface OriginalValuesProps {
  readonly current: Values;
}

/** Hidden fields that record the values with which a form began. */
export const OriginalValues = ({ current }: OriginalValuesProps) => (
  <OriginalVersions
    versions={Object.fromEntries(Object.entries(current).map(([name, value]) => [name, fieldVersion(value)]))}
  />
);

/** The same for versions that are already computed. */
export const OriginalVersions = ({ versions }: { readonly versions: Values }) => (
  <>
    {Object.entries(versions).map(([name, version]) => (
      <input key={name} type="hidden" name={originalVersionName(name)} value={version} />
    ))}
  </>
);
