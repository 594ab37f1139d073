import { audit } from "../../../src/contract/audit.ts";
import { tokens } from "../../../src/contract/tokens.ts";
import { Empty } from "../../console/empty.tsx";
import { filledWith } from "../../console/filled-form.ts";
import type { Filled } from "../../console/forms.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { navigationOf } from "../../console/navigation.ts";
import { Pager } from "../../console/pager.tsx";
import { type Reply, show } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { AuditEntries, type AuditEntriesProps } from "./audit-entries.tsx";
import { type AuditFilter, auditAddress, auditFilterOf, auditQueryOf, faultyDays } from "./audit-filter.ts";
import { AuditFilters, type AuditFiltersProps } from "./audit-filters.tsx";

/** Who did what, newest first. Days that cannot be read are marked, and nothing is listed. */
export async function auditPage(visit: SignedInVisit): Promise<Reply> {
  const { ask, reads, query } = visit;
  const navigation = await navigationOf(visit);
  const filter = auditFilterOf(visit);
  const refusal = faultyDays(filter);
  const cursor = query("cursor");
  const { items, nextCursor } = refusal
    ? { items: [], nextCursor: null }
    : await ask(audit.list, { query: { cursor, ...auditQueryOf(filter) } });
  const [targets, tokensOfEntries, { items: liveTokens }] = await Promise.all([
    reads.auditTargets(items),
    reads.auditTokens(items),
    ask(tokens.list),
  ]);
  const named = { targets, tokens: tokensOfEntries };
  const form = { ...filledWith(filter), refusal };
  return show(
    <Audit {...{ navigation, filter, form, liveTokens, cursor, items, nextCursor, ...named }} />,
    refusal?.status,
  );
}

interface AuditProps extends AuditEntriesProps {
  readonly filter: AuditFilter;
  readonly form: Filled;
  readonly liveTokens: AuditFiltersProps["tokens"];
  readonly cursor: string;
  readonly nextCursor: string | null;
}

const Audit = (props: AuditProps) => {
  const { navigation, filter, form, liveTokens, cursor, items, nextCursor } = props;
  const at = (values: Record<string, string>) =>
    auditAddress(navigation.links.audit, { ...filter, ...values });
  return (
    <ConsolePage navigation={navigation} title="Audit log">
      <div class="head">
        <div>
          <h1>Audit log</h1>
          <p>What was done in your account and your apps, newest first.</p>
        </div>
      </div>
      <AuditFilters navigation={navigation} form={form} tokens={liveTokens} />
      {items.length === 0 ? (
        <Empty title="Nothing matches">
          <p>{form.refusal ? "Please correct what is marked." : "The audit log has no such entry."}</p>
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
