import { type OwnedThread, type SimilarThread, threads } from "../../../../src/contract/threads.ts";
import { type Definitions, definePage } from "../../../console/definitions.ts";
import { IdempotencyField } from "../../../console/forms.tsx";
import { ConsolePage } from "../../../console/layout.tsx";
import type { Links } from "../../../console/links.ts";
import { appNavigationOf } from "../../../console/navigation.ts";
import { Can, Line } from "../../../console/parts.tsx";
import { goTo, type Reply, show } from "../../../console/respond.ts";
import { Ago } from "../../../console/times.tsx";
import type { SignedInVisit } from "../../../console/visit.ts";
import { nameIn, statusNames } from "../badges.tsx";
import { readThread, threadTitle } from "./page.tsx";
import { numberOf, ThreadHead } from "./thread-head.tsx";

async function showSimilar(visit: SignedInVisit): Promise<Reply> {
  const { ask, links, now } = visit;
  const thread = await readThread(visit);
  const { app, feedback } = thread;
  if (feedback.mergedInto !== undefined) return goTo(links.thread(app.id, feedback.id));
  const { items } = await ask(threads.similar, { params: { id: feedback.id } });
  const navigation = await appNavigationOf(visit, "inbox");
  return show(
    <ConsolePage navigation={navigation} title={`Similar to ${threadTitle(thread)}`} narrow>
      <ThreadHead {...{ thread, links }} title="Similar threads" />
      <Similar {...{ thread, items, links, now }} />
    </ConsolePage>,
  );
}

/** The similar threads. A script shows them beside the thread, too. */
const Similar = ({
  thread: { app, feedback },
  items,
  links,
  now,
}: {
  readonly thread: OwnedThread;
  readonly items: readonly SimilarThread[];
  readonly links: Links;
  readonly now: Date;
}) => (
  <div id="similar-threads">
    {items.length === 0 ? (
      <p class="muted">No other thread shares rare words with this one.</p>
    ) : (
      <ul class="similar">
        {items.map((other) => (
          <li key={other.id}>
            <a href={links.thread(app.id, other.id)}>
              {numberOf(other)}
              <Line text={other.subject} />
            </a>
            <p class="under muted small">
              <span>{nameIn(statusNames, other.status)}</span>
              <span>
                last activity <Ago at={other.activeAt} now={now} />
              </span>
            </p>
            <p class="muted small">
              Both have{" "}
              {other.shared.map((word, at) => (
                <span key={word}>
                  {at > 0 && ", "}
                  <b>
                    <Line text={word} />
                  </b>
                </span>
              ))}
              .
            </p>
            <Can needs="maintainer">
              <form method="post" action={links.thread(app.id, feedback.id, "merge")}>
                <IdempotencyField />
                <input type="hidden" name="into" value={other.id} />
                <button class="small" type="submit">
                  {`Merge into ${numberOf(other).trim() || "it"}`}
                </button>
              </form>
            </Can>
          </li>
        ))}
      </ul>
    )}
  </div>
);

/** The page that lists the threads that are similar to a thread. */
export const similarDefinitions: Definitions = [
  definePage({
    at: (links) => links.thread(":appId", ":id", "similar"),
    needs: "viewer",
    show: showSimilar,
  }),
];
