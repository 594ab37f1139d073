import { type AuditEntry, audit } from "../../../src/contract/console/audit.ts";
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
  const { items, nextCursor } = await visit.ask(audit.list, { query: { cursor } });
  const address = visit.links.audit;
  return show(
    <Framed frame={frame} title="Audit log">
      <div class="head">
        <div>
          <h1>Audit log</h1>
          <p>What was done in your account and your apps, newest first.</p>
        </div>
      </div>
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
              <Entry key={entry.id} entry={entry} frame={frame} />
            ))}
          </tbody>
        </table>
      </section>
      <Pager
        first={cursor === "" ? undefined : address}
        next={nextCursor === null ? undefined : `${address}?${new URLSearchParams({ cursor: nextCursor })}`}
      />
    </Framed>,
  );
}

const Entry = ({ entry, frame }: { readonly entry: AuditEntry; readonly frame: Frame }) => (
  <tr>
    <td class="fit">
      <When at={entry.at} />
    </td>
    <td>
      <b>{deedNames.get(entry.action) ?? entry.action}</b>
      {entry.target !== null && <div class="muted">{entry.target}</div>}
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

const AppName = ({ id, frame }: { readonly id: string | null; readonly frame: Frame }) => {
  if (id === null) return null;
  const app = frame.apps.find((known) => known.id === id);
  return app ? <Line text={app.name} /> : <span class="muted">{id}</span>;
};
