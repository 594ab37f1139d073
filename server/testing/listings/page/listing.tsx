import { type Cycle, cycles } from "../../../../src/contract/cycles.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { type Listing, listings } from "../../../../src/contract/listings.ts";
import { Can } from "../../../console/can.tsx";
import { ExternalLink } from "../../../console/external-link.tsx";
import { filledWith } from "../../../console/filled-form.ts";
import type { Filled } from "../../../console/forms.tsx";
import { IdempotencyField } from "../../../console/idempotency-field.tsx";
import { InTurns } from "../../../console/in-turns.tsx";
import { ConsolePage } from "../../../console/layout.tsx";
import { type AppNavigation, appNavigationOf } from "../../../console/navigation.ts";
import { OriginalValues } from "../../../console/original-values.tsx";
import type { SlotRequest } from "../../../console/page-reads.ts";
import { Refused } from "../../../console/parts.tsx";
import { type Reply, show } from "../../../console/reply.ts";
import { Line, UserText } from "../../../console/text.tsx";
import type { SignedInVisit } from "../../../console/visit.ts";
import { CycleLine } from "../../cycles/page/line.tsx";
import { askedIn } from "./list.tsx";
import { ListingFields } from "./listing-fields.tsx";
import { currentListing, emptyListing } from "./listing-values.ts";
import { NewCycle } from "./new-cycle.tsx";

/** The forms of a listing that were refused. The page shows them again as they were sent. */
export interface ListingForms {
  readonly edit?: Filled;
  readonly plan?: Filled;
}

export const newListingPage = (visit: SignedInVisit): Promise<Reply> => showNewListing(visit);

export async function showNewListing(
  visit: SignedInVisit,
  form: Filled = filledWith(emptyListing),
): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "testing", "maintainer");
  const action = navigation.links.testing(navigation.app.id, "new");
  const shown = form.refusal || form.value("appName") !== "" ? form : withName(form, navigation.app.name);
  return show(
    <ConsolePage navigation={navigation} title="New listing" narrow>
      <BackToTesting navigation={navigation} />
      <div class="head">
        <div>
          <h1>New listing</h1>
          <p>What testers read about your app, and how long and how large each cycle is.</p>
        </div>
      </div>
      <form class="card stack" method="post" action={action} data-guards>
        <Refused refusal={form.refusal} />
        <IdempotencyField />
        <ListingFields form={shown} />
        <div class="actions">
          <button class="primary" type="submit">
            Create listing
          </button>
        </div>
      </form>
    </ConsolePage>,
    form.refusal?.status,
  );
}

const withName = (form: Filled, appName: string): Filled => ({
  value: (name) => (name === "appName" ? appName : form.value(name)),
});

export const listingPage = (visit: SignedInVisit): Promise<Reply> => showListing(visit);

export async function showListing(visit: SignedInVisit, forms: ListingForms = {}): Promise<Reply> {
  const { ask, now, reads } = visit;
  const navigation = await appNavigationOf(visit, "testing");
  const listing = await readListing(visit);
  const [{ items }, requests] = await Promise.all([
    ask(cycles.list, { params: { listingId: listing.id } }),
    reads.slotRequestsOf(navigation.app.id),
  ]);
  const zone = items[0]?.timezone ?? (await profileTimezone(visit));
  const plan = forms.plan ?? filledWith({ startsOn: tomorrow(now), timezone: zone ?? "UTC" });
  const ownZone = forms.plan === undefined && zone === undefined;
  return show(
    <ListingDetail {...{ navigation, listing, requests, plan, ownZone }} cycles={items} edit={forms.edit} />,
    (forms.edit ?? forms.plan)?.refusal?.status,
  );
}

/** The listing that the path names, if it belongs to the app in the path. Throws `not_found`. */
export async function readListing({ ask, param }: SignedInVisit): Promise<Listing> {
  const listing = await ask(listings.read, { params: { listingId: param("listingId") } });
  if (listing.appId !== param("appId").toLowerCase()) throw new ApiError("not_found");
  return listing;
}

/**
 * The time zone of the owner's profile. Undefined for UTC, which is also the default of a new profile, and for an offset,
 * which no test can have.
 */
async function profileTimezone({ reads }: SignedInVisit): Promise<string | undefined> {
  const timezone = await reads.timezone();
  return timezone === "UTC" || /^[+-]/.test(timezone) ? undefined : timezone;
}

const tomorrow = (now: Date): string => new Date(now.getTime() + 86_400_000).toISOString().slice(0, 10);

const BackToTesting = ({ navigation: { links, app } }: { readonly navigation: AppNavigation }) => (
  <a class="back" href={links.testing(app.id)}>
    <span aria-hidden="true">←</span> Testing
  </a>
);

interface ListingDetailProps {
  readonly navigation: AppNavigation;
  readonly listing: Listing;
  readonly cycles: readonly Cycle[];
  readonly requests: readonly SlotRequest[];
  readonly plan: Filled;
  /** Whether the owner's time zone is not known yet. */
  readonly ownZone: boolean;
  readonly edit: Filled | undefined;
}

const ListingDetail = (props: ListingDetailProps) => {
  const { navigation, listing, cycles, requests, plan, ownZone } = props;
  const { links, app } = navigation;
  return (
    <ConsolePage navigation={navigation} title={listing.appName} narrow>
      <BackToTesting navigation={navigation} />
      <div class="head">
        <div>
          <h1>
            <Line text={listing.appName} />
          </h1>
          <p class="under muted">
            <code>{listing.packageName}</code>
            <span>
              <ExternalLink to={listing.optInUrl}>Opt-in page</ExternalLink>
            </span>
          </p>
        </div>
      </div>
      <div class="stack wide">
        <section class="stack" aria-labelledby="cycles">
          <h2 id="cycles">Cycles</h2>
          {cycles.length === 0 ? (
            <p class="muted">None yet.</p>
          ) : (
            <ul class="list linked">
              <InTurns>
                {cycles.map((cycle) => (
                  <CycleLine key={cycle.id} cycle={cycle} links={links} asked={askedIn(requests, cycle)} />
                ))}
              </InTurns>
            </ul>
          )}
        </section>
        <Can needs="maintainer">
          <section class="stack" aria-labelledby="plan">
            <h2 id="plan">Plan a cycle</h2>
            <NewCycle
              {...{ listing, ownZone }}
              form={plan}
              action={links.listing(app.id, listing.id, "cycles")}
            />
          </section>
        </Can>
        <TestBrief {...props} />
        <Can needs="maintainer">
          <Edit {...props} />
        </Can>
      </div>
    </ConsolePage>
  );
};

const TestBrief = ({ listing }: ListingDetailProps) => (
  <section class="stack" aria-labelledby="brief">
    <h2 id="brief">What testers read</h2>
    <div class="card stack">
      <UserText text={listing.testBrief} />
      <ul class="names" aria-label="Screens">
        {listing.screens.map((screen) => (
          <li key={screen}>
            <Line text={screen} />
          </li>
        ))}
      </ul>
    </div>
  </section>
);

const Edit = ({ navigation: { links, app }, listing, edit }: ListingDetailProps) => {
  const current = currentListing(listing);
  const action = links.listing(app.id, listing.id);
  return (
    <details class="reveal" open={edit !== undefined}>
      <summary>Edit this listing</summary>
      <form class="card stack" method="post" action={action} data-guards>
        <Refused refusal={edit?.refusal} />
        <IdempotencyField />
        <OriginalValues current={current} />
        <ListingFields form={edit ?? filledWith(current)} />
        <div class="actions">
          <button class="primary" type="submit">
            Save
          </button>
        </div>
      </form>
    </details>
  );
};
