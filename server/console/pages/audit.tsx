import { type AuditEntry, audit } from "../../../src/contract/console/audit.ts";
import { type NamedTarget, targetsOf } from "../audit-names.ts";
import { deedNames } from "../components/deed-names.ts";
import { Framed } from "../components/framed.tsx";
import { Pager } from "../components/pager.tsx";
import { When } from "../components/when.tsx";
import { Line } from "../components/written.tsx";
import { type Frame, frameOf } from "../frame.ts";
import { type Reply, show } from "../reply.ts";
import type { SignedInVisit } from "../visit.ts";

/** Who did what, newest first. */
export async function auditPage(visit: SignedInVisit): Promise<Reply> {
  const frame = await frameOf(visit);
  const cursor = visit.query("cursor");
  const appId = visit.query("app");
  const { items, nextCursor } = await visit.ask(audit.list, { query: { cursor, appId } });
  const targets = await targetsOf(visit.deps.database, items, visit.links);
  const at = (values: Record<string, string>) => {
    const given = new URLSearchParams({ ...(appId === "" ? {} : { app: appId }), ...values });
    return given.size === 0 ? visit.links.audit : `${visit.links.audit}?${given}`;
  };
  return show(
    <Framed frame={frame} title="Audit log">
      <div class="head">
        <div>
          <h1>Audit log</h1>
          <p>What was done in your account and your apps, newest first.</p>
        </div>
      </div>
      {frame.apps.length > 1 && (
        <nav class="filters pills" aria-label="App">
          {[{ id: "", name: "Everything" }, ...frame.apps].map(({ id, name }) => (
            <a
              key={id}
              href={id === "" ? visit.links.audit : `${visit.links.audit}?app=${id}`}
              aria-current={id === appId ? "page" : undefined}
            >
              <Line text={name} />
            </a>
          ))}
        </nav>
      )}
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
              <Entry key={entry.id} entry={entry} frame={frame} target={targets.get(entry.target ?? "")} />
            ))}
          </tbody>
        </table>
      </section>
      <Pager
        first={cursor === "" ? undefined : at({})}
        next={nextCursor === null ? undefined : at({ cursor: nextCursor })}
      />
    </Framed>,
  );
}

interface EntryProps {
  readonly entry: AuditEntry;
  readonly frame: Frame;
  readonly target: NamedTarget | undefined;
}

const Entry = ({ entry, frame, target }: EntryProps) => (
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
      <Line text={entry.actor} />
    </td>
    <td class="fit muted">{entry.address}</td>
  </tr>
);

/** The name of what was done something to; its id only where it is gone, or never had a name. */
const Target = ({ entry, target }: Omit<EntryProps, "frame">) => {
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
