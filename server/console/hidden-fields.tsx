/** Hidden fields of a form. */
export const HiddenFields = ({ values }: { readonly values: readonly (readonly [string, string])[] }) => (
  <>
    {values.map(([name, value]) => (
      <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
    ))}
  </>
);
