import type { AuditChange } from "../../../src/contract/audit.ts";
import { Line } from "../../console/text.tsx";
import { editLabels } from "../../feedback/threads/fields.tsx";

const names: Readonly<Record<string, string>> = {
  ...editLabels,
  tags: "Tags",
  statusLink: "Link to the sender's page",
  delivery: "Delivery",
  role: "Role",
};

/** What an act changed: each field with its values before and after. A field without values was changed, too. */
export const AuditChanges = ({ changes = [] }: { readonly changes: readonly AuditChange[] | undefined }) =>
  changes.length === 0 ? null : (
    <ul class="plain small">
      {changes.map(({ field, ...change }) => (
        <li key={field}>
          <Line text={names[field] ?? field} />
          {change.to !== undefined && (
            <>
              {": "}
              {change.from !== undefined && (
                <>
                  <Value of={change.from} /> →{" "}
                </>
              )}
              <Value of={change.to} />
            </>
          )}
        </li>
      ))}
    </ul>
  );

const Value = ({ of }: { readonly of: string | null }) =>
  of === null ? <span class="muted">none</span> : <Line text={of} />;
