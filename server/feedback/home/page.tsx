import { counted, shownCount } from "../../console/counts.ts";
import { Empty } from "../../console/empty.tsx";
import { versionOf } from "../../console/filled-form.ts";
import { InTurns } from "../../console/in-turns.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { type Navigation, navigationOf, requestsIn, sumOf } from "../../console/navigation.ts";
import type { AppCounts } from "../../console/page-reads.ts";
import { type Reply, show } from "../../console/reply.ts";
import { Line } from "../../console/text.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import { SlotRequestLines } from "../../testing/cycles/page/slot-request-lines.tsx";
import { AgentWorkLists } from "./agent-work.tsx";
import { WaitingProposals } from "./waiting-proposals.tsx";

/** Everything that waits for this person, in all apps. */
export async function homePage(visit: SignedInVisit): Promise<Reply> {
  const { reads, now, links } = visit;
  const [around, waiting, work, requests] = await Promise.all([
    navigationOf(visit),
    waitingPage(visit),
    reads.agentWork(),
    reads.slotRequests(),
  ]);
  const navigation: Navigation = { ...around, tab: "decisions" };
  if (navigation.apps.length === 0) return show(<Welcome navigation={navigation} />);
  const asked = requestsIn(navigation);
  return show(
    <ConsolePage navigation={navigation} title="Decisions" narrow>
      <div class="stack wide">
        <section
          id="waiting"
          data-live={versionOf(waiting.rows)}
          data-news="The proposals that wait for you have changed."
        >
          <div class="head">
            <div>
              <h1>Decisions</h1>
              <p>
                What agents propose stays a proposal until you approve it. Nothing in this list has been done
                yet.
              </p>
            </div>
          </div>
          <WaitingProposals
            {...waiting}
            count={sumOf(navigation.counts, "waiting")}
            now={now}
            links={links}
          />
        </section>
        <AgentWorkLists work={work} now={now} links={links} />
        <div
          id="asked"
          data-live={versionOf([requests, asked])}
          data-news="The requests for slots have changed."
        >
          {requests.length > 0 && (
            <section class="stack" aria-labelledby="asked-title">
              <h2 id="asked-title">Testers who ask for a slot</h2>
              <SlotRequestLines rows={requests} links={links} now={now} />
              {asked > requests.length && (
                <p class="muted">
                  {`${requests.length} of ${asked} requests are shown: those that expire first. To see all requests of an app, open its Testing page.`}
                </p>
              )}
            </section>
          )}
        </div>
        <Apps navigation={navigation} />
      </div>
    </ConsolePage>,
  );
}

/** The page of waiting proposals that the address names. */
async function waitingPage({ reads, links, query }: SignedInVisit) {
  const newestFirst = query("order") === "newest";
  const cursor = query("cursor");
  const { items, nextCursor } = await reads.waitingProposals({ newestFirst, cursor });
  const at = (values: Record<string, string>) => {
    const given = new URLSearchParams({ ...(newestFirst ? { order: "newest" } : {}), ...values });
    return given.size === 0 ? links.home : `${links.home}?${given}`;
  };
  return {
    rows: items,
    newestFirst,
    ordered: (newest: boolean) => (newest ? `${links.home}?order=newest` : links.home),
    first: cursor === "" ? undefined : at({}),
    next: nextCursor === null ? undefined : at({ cursor: nextCursor }),
  };
}

const Welcome = ({ navigation }: { readonly navigation: Navigation }) => (
  <ConsolePage navigation={navigation} title="Welcome" narrow>
    <h1 class="unseen">Welcome</h1>
    <Empty title="Welcome to Innkeep">
      <p>An app receives feedback and has its own FAQ and changelog. Create your first one.</p>
      <p>
        Here to test somebody's app? Sign in on the device that you test with. You then find it under{" "}
        <a href={navigation.links.devices}>Devices</a>.
      </p>
      <div class="actions">
        <a class="button primary" href={navigation.links.newApp}>
          Create your first app
        </a>
      </div>
    </Empty>
  </ConsolePage>
);

const Apps = ({ navigation: { apps, links, counts } }: { readonly navigation: Navigation }) => (
  <section
    id="apps"
    class="stack"
    data-live={versionOf([apps, [...counts]])}
    data-news="What waits in your apps has changed."
  >
    <div class="row spread">
      <h2>Your apps</h2>
      <a class="button small" href={links.newApp}>
        New app
      </a>
    </div>
    <ul class="list linked">
      <InTurns>
        {apps.map((app) => (
          <li key={app.id}>
            <a class="to" href={links.inbox(app.id)}>
              <Line text={app.name} />
            </a>
            <p class="under">
              <Waits {...(counts.get(app.id) ?? { unread: 0, waiting: 0 })} />
              <span>Feedback {app.feedbackEnabled ? "on" : "off"}</span>
              <span>Changelog {app.changelogEnabled ? "on" : "off"}</span>
            </p>
          </li>
        ))}
      </InTurns>
    </ul>
  </section>
);

const Waits = ({ unread, waiting }: AppCounts) => (
  <>
    {unread > 0 && (
      <span>
        <b>{shownCount(unread)} unread</b>
      </span>
    )}
    {waiting > 0 && <span>{counted(waiting, "proposal waits", "proposals wait")}</span>}
  </>
);
