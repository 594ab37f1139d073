import { audit } from "../../../../src/contract/console/audit.ts";
import { visibleLine } from "../../kit/display/visible-text.ts";
import { ConsolePage } from "../../kit/layout/console-page.tsx";
import { Empty } from "../../kit/layout/empty.tsx";
import { navigationOf } from "../../kit/layout/navigation.ts";
import { Pager } from "../../kit/layout/pager.tsx";
import { type Reply, show } from "../../reply.ts";
import type { SignedInVisit } from "../../visit.ts";
import { auditActionNames } from "./audit-action-names.ts";
import { AuditEntries, type AuditEntriesProps } from "./audit-entries.tsx";

/** Who did what, newest first. */
export async function auditPage(visit: SignedInVisit): Promise<Reply> {
  const { ask, reads, query } = visit;
  const navigation = await navigationOf(visit);
  const filter = { app: query("app"), action: query("action") };
  const cursor = query("cursor");
  const asked = { cursor, appId: filter.app, action: filter.action };
  const { items, nextCursor } = await ask(audit.list, { query: asked });
  const targets = await reads.auditTargets(items);
  const tokens = await reads.auditTokens(items);
  return show(<Audit {...{ navigation, filter, cursor, items, nextCursor, targets, tokens }} />);
}

interface Filter {
  readonly app: string;
  readonly action: string;
}

interface AuditProps extends AuditEntriesProps {
  readonly filter: Filter;
  readonly cursor: string;
  readonly nextCursor: string | null;
}

const Audit = (props: AuditProps) => {
  const { navigation, filter, cursor, items, nextCursor } = props;
  const at = (values: Record<string, string>) => {
    const given = Object.entries({ ...filter, ...values }).filter(([, value]) => value !== "");
    return given.length === 0
      ? navigation.links.audit
      : `${navigation.links.audit}?${new URLSearchParams(given)}`;
  };
  return (
    <ConsolePage navigation={navigation} title="Audit log">
      <div class="head">
        <div>
          <h1>Audit log</h1>
          <p>What was done in your account and your apps, newest first.</p>
        </div>
      </div>
      <Filters navigation={navigation} filter={filter} />
      {items.length === 0 ? (
        <Empty title="Nothing matches">
          <p>The audit log has no entry of this kind.</p>
          <div class="actions">
            <a class="button" href={navigation.links.audit}>
              Show everything
            </a>
          </div>
        </Empty>
      ) : (
        <AuditEntries {...props} />
      )}
      <Pager
        first={cursor === "" ? undefined : at({})}
        next={nextCursor === null ? undefined : at({ cursor: nextCursor })}
      />
    </ConsolePage>
  );
};

const Filters = ({ navigation: { apps, links }, filter }: Pick<AuditProps, "navigation" | "filter">) => (
  <search class="filters">
    <form class="search" method="get" action={links.audit}>
      <Filtered
        name="app"
        label="App"
        chosen={filter.app}
        options={[["", "All apps"], ...apps.map(({ id, name }) => [id, visibleLine(name)] as const)]}
      />
      <Filtered
        name="action"
        label="What was done"
        chosen={filter.action}
        options={[
          ["", "Everything"],
          ...[...auditActionNames].sort(([, a], [, b]) => a.localeCompare(b, "en")),
        ]}
      />
      <button type="submit">Filter</button>
    </form>
  </search>
);

interface FilteredProps {
  readonly name: keyof Filter;
  readonly label: string;
  readonly chosen: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}

const Filtered = ({ name, label, chosen, options }: FilteredProps) => (
  <select name={name} aria-label={label}>
    {options.map(([value, words]) => (
      <option key={value} value={value} selected={value === chosen}>
        {words}
      </option>
    ))}
  </select>
);
