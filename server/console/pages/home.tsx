import type { App } from "../../../src/contract/console/apps.ts";
import { type AwaitingRow, awaiting } from "../../store/awaiting.ts";
import { seatRequests } from "../../store/seat-requests.ts";
import { Empty } from "../components/empty.tsx";
import { Framed } from "../components/framed.tsx";
import { SeatRequestLines } from "../components/seat-request-lines.tsx";
import { Ago } from "../components/when.tsx";
import { Line } from "../components/written.tsx";
import { versionOf } from "../filled.ts";
import { type Frame, frameOf } from "../frame.ts";
import type { Links } from "../links.ts";
import { type Reply, show } from "../reply.ts";
import type { SignedInVisit } from "../visit.ts";

const most = 100;

/** What waits for this person, over all apps. */
export async function homePage(visit: SignedInVisit): Promise<Reply> {
  const frame: Frame = { ...(await frameOf(visit)), tab: "decisions" };
  if (frame.apps.length === 0) return show(<Welcome frame={frame} />);
  const { deps, caller, now, links } = visit;
  const rows = await awaiting.list(deps.database, caller.userId, most);
  const requests = await seatRequests.list(deps.database, caller.userId, now.toISOString(), most);
  return show(
    <Framed frame={frame} title="Decisions" narrow>
      <div class="stack wide">
        <section id="waiting" data-live={versionOf(rows)}>
          <div class="head">
            <div>
              <h1>Decisions</h1>
              <p>
                What agents propose stays a proposal until you approve it. Nothing here has been done yet.
              </p>
            </div>
          </div>
          <Waiting rows={rows} now={now} links={links} />
        </section>
        <div id="asked" data-live={versionOf(requests)}>
          {requests.length > 0 && (
            <section class="stack" aria-labelledby="asked-title">
              <h2 id="asked-title">Testers who ask for a seat</h2>
              <SeatRequestLines rows={requests} links={links} now={now} />
            </section>
          )}
        </div>
        <Apps apps={frame.apps} links={links} />
      </div>
    </Framed>,
  );
}

const Welcome = ({ frame }: { readonly frame: Frame }) => (
  <Framed frame={frame} title="Welcome" narrow>
    <h1 class="unseen">Welcome</h1>
    <Empty title="Welcome to Innkeep">
      <p>An app is where feedback arrives and where its FAQ and its changelog live. Begin with yours.</p>
      <p>
        Here to test somebody's app? Sign in on the device that you test with; it is then found under{" "}
        <a href={frame.links.devices}>Devices</a>.
      </p>
      <div class="actions">
        <a class="button primary" href={frame.links.newApp}>
          Create your first app
        </a>
      </div>
    </Empty>
  </Framed>
);

interface WaitingProps {
  readonly rows: readonly AwaitingRow[];
  readonly now: Date;
  readonly links: Links;
}

const Waiting = ({ rows, now, links }: WaitingProps) => {
  if (rows.length === 0) {
    return (
      <Empty title="Nothing waits for you">
        <p>When an agent proposes a plan on a thread, it appears here, the longest waiting first.</p>
      </Empty>
    );
  }
  return (
    <ol class="list linked">
      {rows.map((row) => (
        <li key={row.id}>
          <a class="to" href={`${links.thread(row.appId, row.feedbackId)}#proposal`}>
            <Line text={row.subject} />
          </a>
          <p class="clip">
            <Line text={row.summary} />
          </p>
          <p class="under">
            <span>
              <Line text={row.appName} />
            </span>
            <span>
              proposed <Ago at={row.createdAt} now={now} />
            </span>
          </p>
        </li>
      ))}
    </ol>
  );
};

const Apps = ({ apps, links }: { readonly apps: readonly App[]; readonly links: Links }) => (
  <section class="stack">
    <div class="row spread">
      <h2>Your apps</h2>
      <a class="button small" href={links.newApp}>
        New app
      </a>
    </div>
    <ul class="list linked">
      {apps.map((app) => (
        <li key={app.id}>
          <a class="to" href={links.inbox(app.id)}>
            <Line text={app.name} />
          </a>
          <p class="under">
            <span>Feedback {app.feedbackEnabled ? "on" : "off"}</span>
            <span>Changelog {app.changelogEnabled ? "on" : "off"}</span>
          </p>
        </li>
      ))}
    </ul>
  </section>
);
