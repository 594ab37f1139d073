import { cycles, type JudgedCycle } from "../../../src/contract/cycles.ts";
import { type Listing, listings } from "../../../src/contract/listings.ts";
import { countOf } from "../../../src/words/count.ts";
import { type Definitions, definePage } from "../../console/definitions.ts";
import { versionOf } from "../../console/forms.tsx";
import { InTurns } from "../../console/in-turns.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { type AppNavigation, appNavigationOf } from "../../console/navigation.ts";
import type { SlotRequest } from "../../console/page-reads.ts";
import { Can, Empty, Line } from "../../console/parts.tsx";
import { type Reply, show } from "../../console/respond.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { CycleLine, isLive, SlotRequestLines } from "../cycles/parts.tsx";

interface Offer {
  readonly listing: Listing;
  readonly cycles: readonly JudgedCycle[];
}

/**
 * Shows the tests of an app: first the requests that the owner must answer, then each listing with its cycles that are
 * not over.
 */
async function showListings(visit: SignedInVisit): Promise<Reply> {
  const { ask, now, reads } = visit;
  const navigation = await appNavigationOf(visit, "testing");
  const { items } = await ask(listings.list, { params: { appId: navigation.app.id } });
  const offers = await Promise.all(
    items.map(async (listing) => {
      const found = await ask(cycles.list, { params: { listingId: listing.id } });
      return { listing, cycles: found.items };
    }),
  );
  const requests = await reads.slotRequestsOf(navigation.app.id);
  return show(<Testing {...{ navigation, offers, requests, now }} />);
}

const Testing = ({
  navigation,
  offers,
  requests,
  now,
}: {
  readonly navigation: AppNavigation;
  readonly offers: readonly Offer[];
  readonly requests: readonly SlotRequest[];
  readonly now: Date;
}) => (
  <ConsolePage navigation={navigation} title="Testing" narrow>
    <div class="head">
      <div>
        <h1>Testing</h1>
        <p>
          Closed tests of your app. Each tester has a slot. A day counts if a session or a proof shows that
          the tester used the app.
        </p>
      </div>
      <Can needs="maintainer">
        <a class="button primary" href={navigation.links.testing(navigation.app.id, "new")}>
          New listing
        </a>
      </Can>
    </div>
    {offers.length === 0 ? (
      <Empty title="Nothing to test yet">
        <p>
          A listing says what testers should test. Each of its cycles has slots, a first day and a last day.
        </p>
      </Empty>
    ) : (
      <div class="stack wide">
        <div id="waiting" data-live={versionOf(requests)} data-news="The requests for slots have changed.">
          <Waiting rows={requests} navigation={navigation} now={now} />
        </div>
        <InTurns>
          {offers.map((offer) => (
            <OfferSection key={offer.listing.id} offer={offer} navigation={navigation} requests={requests} />
          ))}
        </InTurns>
      </div>
    )}
  </ConsolePage>
);

const Waiting = ({
  rows,
  navigation,
  now,
}: {
  readonly rows: readonly SlotRequest[];
  readonly navigation: AppNavigation;
  readonly now: Date;
}) =>
  rows.length === 0 ? null : (
    <section class="stack" aria-labelledby="waiting-title">
      <h2 id="waiting-title">Waiting for you</h2>
      <SlotRequestLines rows={rows} links={navigation.links} now={now} />
    </section>
  );

const OfferSection = ({
  offer: { listing, cycles },
  navigation: { links, app },
  requests,
}: {
  readonly offer: Offer;
  readonly navigation: AppNavigation;
  readonly requests: readonly SlotRequest[];
}) => {
  const live = cycles.filter(isLive);
  const past = cycles.length - live.length;
  const address = links.listing(app.id, listing.id);
  return (
    <section class="stack" aria-labelledby={`listing-${listing.id}`}>
      <div class="row spread">
        <div>
          <h2 id={`listing-${listing.id}`}>
            <a class="plain" href={address}>
              <Line text={listing.appName} />
            </a>
          </h2>
          <p class="under muted small">
            <code>{listing.packageName}</code>
            <span>{countOf(listing.seats, "slot")}</span>
            <span>{countOf(listing.durationDays, "day")}</span>
            {past > 0 && <span>{countOf(past, "earlier cycle")}</span>}
          </p>
        </div>
        <Can needs="maintainer">
          <a class="button small" href={`${address}#plan`}>
            Plan a cycle
          </a>
        </Can>
      </div>
      {live.length === 0 ? (
        <p class="muted">No cycle is planned or running.</p>
      ) : (
        <ul class="list linked">
          <InTurns>
            {live.map((cycle) => (
              <CycleLine key={cycle.id} cycle={cycle} links={links} requests={requests} />
            ))}
          </InTurns>
        </ul>
      )}
    </section>
  );
};

const listingsPage = definePage({
  at: (links) => links.testing(":appId"),
  needs: "viewer",
  show: showListings,
});

export const definitions: Definitions = [listingsPage];
