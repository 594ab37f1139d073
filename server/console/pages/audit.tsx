import { type AuditEntry, audit } from "../../../src/contract/console/audit.ts";
import { actorParts, type NamedTarget, targetsOf, tokenLabelsOf } from "../audit-names.ts";
import { deedNames } from "../components/deed-names.ts";
import { Empty } from "../components/empty.tsx";
import { Framed } from "../components/framed.tsx";
import { Pager } from "../components/pager.tsx";
import { When } from "../components/when.tsx";
import { Line } from "../components/written.tsx";
import { type Frame, frameOf } from "../frame.ts";
import { type Reply, show } from "../reply.ts";
import { visibleLine } from "../visible-text.ts";
import type { SignedInVisit } from "../visit.ts";

/** Who did what, newest first. */
export async function auditPage(visit: SignedInVisit): Promise<Reply> {
  const { ask, deps, links, query } = visit;
  const frame = await frameOf(visit);
  const filter = { app: query("app"), action: query("action") };
  const cursor = query("cursor");
  const asked = { cursor, appId: filter.app, action: filter.action };
  const { items, nextCursor } = await ask(audit.list, { query: asked });
  const targets = await targetsOf(deps.database, items, links);
  const tokens = await tokenLabelsOf(deps.database, items);
  return show(<Audit {...{ frame, filter, cursor, items, nextCursor, targets, tokens }} />);
}

interface Filter {
  readonly app: string;
  readonly action: string;
}

interface AuditProps {
  readonly frame: Frame;
  readonly filter: Filter;
  readonly cursor: string;
  readonly items: readonly AuditEntry[];
  readonly nextCursor: string | null;
  readonly targets: ReadonlyMap<string, NamedTarget>;
  /** Labels of tokens by their ids. */
  readonly tokens: ReadonlyMap<string, string>;
}

const Audit = (props: AuditProps) => {
  const { frame, filter, cursor, items, nextCursor } = props;
  const at = (values: Record<string, string>) => {
    const given = Object.entries({ ...filter, ...values }).filter(([, value]) => value !== "");
    return given.length === 0 ? frame.links.audit : `${frame.links.audit}?${new URLSearchParams(given)}`;
  };
  return (
    <Framed frame={frame} title="Audit log">
      <div class="head">
        <div>
          <h1>Audit log</h1>
          <p>What was done in your account and your apps, newest first.</p>
        </div>
      </div>
      <Filters frame={frame} filter={filter} />
      {items.length === 0 ? (
        <Empty title="Nothing matches">
          <p>Nothing of this kind is on record.</p>
          <div class="actions">
            <a class="button" href={frame.links.audit}>
              Show everything
            </a>
          </div>
        </Empty>
      ) : (
        <Entries {...props} />
      )}
      <Pager
        first={cursor === "" ? undefined : at({})}
        next={nextCursor === null ? undefined : at({ cursor: nextCursor })}
      />
    </Framed>
  );
};

const Filters = ({ frame: { apps, links }, filter }: Pick<AuditProps, "frame" | "filter">) => (
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
        options={[["", "Everything"], ...[...deedNames].sort(([, a], [, b]) => a.localeCompare(b, "en"))]}
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

const Entries = ({ items, frame, targets, tokens }: AuditProps) => (
  <section class="scroll" aria-label="Entries">
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">What</th>
          <th scope="col">App</th>
          <th scope="col">Who</th>
          <th scope="col">From</th>
        </tr>
      </thead>
      <tbody>
        {items.map((entry) => (
          <Entry
            key={entry.id}
            entry={entry}
            frame={frame}
            target={targets.get(entry.target ?? "")}
            tokens={tokens}
          />
        ))}
      </tbody>
    </table>
  </section>
);

interface EntryProps {
  readonly entry: AuditEntry;
  readonly frame: Frame;
  readonly target: NamedTarget | undefined;
  readonly tokens: AuditProps["tokens"];
}

const Entry = ({ entry, frame, target, tokens }: EntryProps) => (
  <tr>
    <td class="fit">
      <When at={entry.at} />
    </td>
    <td>
      <b>{deedNames.get(entry.action) ?? entry.action}</b>
      <Target entry={entry} target={target} />
    </td>
    <td>
      <AppName id={entry.appId} frame={frame} />
    </td>
    <td>
      <Actor actor={entry.actor} frame={frame} tokens={tokens} />
    </td>
    <td class="fit muted">{entry.address}</td>
  </tr>
);

interface ActorProps extends Pick<EntryProps, "frame" | "tokens"> {
  readonly actor: string;
}

/** Who did it, and with which token: its label, where it still is there. */
const Actor = ({ actor, frame, tokens }: ActorProps) => {
  const { name, tokenId } = actorParts(actor);
  if (tokenId === undefined) return <Line text={name} />;
  const label = tokens.get(tokenId);
  return (
    <>
      <Line text={name} />
      <div class="muted" title={tokenId}>
        {label === undefined ? (
          `Token ${tokenId.slice(0, 8)}…, revoked`
        ) : (
          <>
            Token{" "}
            <a href={frame.links.tokens}>
              <Line text={label || "without a label"} />
            </a>
          </>
        )}
      </div>
    </>
  );
};

/** The name of what was done something to; its id only where it is gone, or never had a name. */
const Target = ({ entry, target }: Pick<EntryProps, "entry" | "target">) => {
  if (target) {
    const name = <Line text={target.name || "Without a name"} />;
    return <div>{target.href === undefined ? name : <a href={target.href}>{name}</a>}</div>;
  }
  const told =
    entry.target === null || entry.target === entry.appId || /^(session|user)\./.test(entry.action);
  return told ? null : <div class="muted" title={entry.target ?? ""}>{`${entry.target?.slice(0, 8)}…`}</div>;
};

const AppName = ({ id, frame }: { readonly id: string | null; readonly frame: Frame }) => {
  if (id === null) return null;
  const app = frame.apps.find((known) => known.id === id);
  return app ? <Line text={app.name} /> : <span class="muted">Deleted</span>;
};
