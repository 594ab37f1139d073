import { cycles, type JudgedCycle, type Listing, listings } from "../../../src/contract/cycles.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import { countOf } from "../../../src/words/phrases.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../../console/definitions.ts";
import {
  Choices,
  changedValues,
  type Filled,
  filledAgain,
  filledOver,
  filledWith,
  givenFor,
  IdempotencyField,
  OriginalValues,
  Select,
  TextArea,
  TextField,
  type Values,
  versionOf,
} from "../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage } from "../../console/layout.tsx";
import { changed, changesNotSaved } from "../../console/notices.ts";
import type { SlotRequest } from "../../console/page-reads.ts";
import { Can, Empty, ExternalLink, Line, Refused, UserText } from "../../console/parts.tsx";
import { goTo, InTurns, type Reply, reshowForm, show } from "../../console/respond.tsx";
import { timeZones } from "../../console/times.tsx";
import { CycleLine, isLive, SlotRequestLines } from "../cycles/parts.tsx";

function createListing(visit: SignedInVisit): Promise<Reply<"listing-created">> {
  const { ask, fields, links, param } = visit;
  const params = { appId: param("appId") };
  return reshowForm(
    async () => {
      const body = listingBody(givenFor(fields, emptyListing));
      const { id } = await ask(listings.create, { params, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.listing(params.appId, id), "listing-created");
    },
    (refusal) => showNewListing(visit, filledAgain(fields, refusal)),
  );
}

function updateListing(visit: SignedInVisit): Promise<Reply<"changed">> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const listing = await readListing(visit);
      const current = currentListing(listing);
      const body = listingBody(changedValues(fields, givenFor(fields, current), current));
      await ask(listings.update, {
        params: { listingId: listing.id },
        body,
        idempotencyKey: fields.idempotencyKey,
      });
      return goTo(addressOf(visit), "changed");
    },
    (refusal) => showListing(visit, { edit: filledAgain(fields, refusal) }),
  );
}

/** Plans a cycle and shows its page. */
function createCycle(visit: SignedInVisit): Promise<Reply<"cycle-created">> {
  const { ask, fields, links, param } = visit;
  return reshowForm(
    async () => {
      const { id: listingId } = await readListing(visit);
      const body = { startsOn: fields.text("startsOn"), timezone: fields.text("timezone") };
      const { cycle } = await ask(cycles.create, {
        params: { listingId },
        body,
        idempotencyKey: fields.idempotencyKey,
      });
      return goTo(links.cycle(param("appId"), cycle.id), "cycle-created");
    },
    (refusal) => showListing(visit, { plan: filledAgain(fields, refusal) }),
  );
}

const addressOf = ({ links, param }: SignedInVisit): string =>
  links.listing(param("appId"), param("listingId"));

/** The forms that the server refused. The page shows them again with the values that were sent. */
interface ListingForms {
  readonly edit?: Filled;
  readonly plan?: Filled;
}

async function showNewListing(visit: SignedInVisit, form: Filled = filledWith(emptyListing)): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "testing");
  const action = navigation.links.testing(navigation.app.id, "new");
  const shown = form.refusal || form.value("appName") !== "" ? form : withName(form, navigation.app.name);
  return show(
    <ConsolePage navigation={navigation} title="New listing" narrow>
      <BackToTesting navigation={navigation} />
      <div class="head">
        <div>
          <h1>New listing</h1>
          <p>A listing describes your app for testers. It also sets the length and the size of each cycle.</p>
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

async function showListing(visit: SignedInVisit, forms: ListingForms = {}): Promise<Reply> {
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

/** Throws `not_found` for a listing of another app. */
async function readListing({ ask, param }: SignedInVisit): Promise<Listing> {
  const listing = await ask(listings.read, { params: { listingId: param("listingId") } });
  if (listing.appId !== param("appId").toLowerCase()) throw new ApiError("not_found");
  return listing;
}

/** Returns the person's time zone; undefined for the default UTC, and for an offset, which tests cannot use. */
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
  readonly cycles: readonly JudgedCycle[];
  readonly requests: readonly SlotRequest[];
  readonly plan: Filled;
  /**
   * Whether the form shows the browser's time zone, because the server does not know the person's time zone.
   */
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
                  <CycleLine key={cycle.id} cycle={cycle} links={links} requests={requests} />
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
  const form = filledOver(edit, current);
  const action = links.listing(app.id, listing.id);
  return (
    <details class="reveal" open={edit !== undefined}>
      <summary>Edit this listing</summary>
      <form class="card stack" method="post" action={action} data-guards>
        <Refused refusal={form.refusal} />
        <IdempotencyField />
        <OriginalValues current={current} form={form} />
        <ListingFields form={form} />
        <div class="actions">
          <button class="primary" type="submit">
            Save
          </button>
        </div>
      </form>
    </details>
  );
};

const ListingFields = ({ form }: { readonly form: Filled }) => (
  <>
    <div class="columns">
      <TextField form={form} name="appName" label="Name of the app" required />
      <TextField
        form={form}
        name="packageName"
        label="Package name"
        placeholder="com.example.app"
        autocomplete="off"
        required
      />
    </div>
    <TextField
      form={form}
      name="optInUrl"
      label="Opt-in address"
      type="url"
      placeholder="https://"
      hint="The page on which testers join the store's closed test."
      required
    />
    <TextField
      form={form}
      name="iconUrl"
      label="Icon address"
      type="url"
      placeholder="https://"
      hint="Optional. Testers see the icon beside the name of the app."
    />
    <TextArea
      form={form}
      name="testBrief"
      label="What to test"
      hint="What testers should do, in a few sentences."
      required
    />
    <TextArea
      form={form}
      name="screens"
      label="Screens"
      hint={`One name per line, as your app reports it; at most ${limits.listingScreens}. Each day, each tester is asked to visit one of these screens.`}
      required
    />
    <Choices form={form} name="verificationTier" legend="How a day is verified" options={tiers} />
    <Numbers form={form} />
  </>
);

const tiers = [
  { value: "sdk", label: "By sessions", hint: "Your app reports sessions; a proof counts, too." },
  {
    value: "screenshot",
    label: "By screenshots",
    hint: "Your app does not report sessions; testers send images.",
  },
] as const;

const Numbers = ({ form }: { readonly form: Filled }) => (
  <fieldset class="stack tight">
    <legend>Size of a cycle</legend>
    <p class="hint">Changes apply to later cycles. Cycles that are already planned keep their size.</p>
    <div class="columns three">
      <TextField form={form} name="seats" label="Slots" inputMode="numeric" required />
      <TextField form={form} name="durationDays" label="Days" inputMode="numeric" required />
      <TextField
        form={form}
        name="maxMissedDays"
        label="Missed days"
        inputMode="numeric"
        hint="A tester who misses this many days in total loses the slot."
        required
      />
    </div>
  </fieldset>
);

/** The first values of the form for a new listing. An app store requires 12 testers for 14 days. */
const emptyListing: Values = {
  appName: "",
  packageName: "",
  optInUrl: "",
  iconUrl: "",
  testBrief: "",
  screens: "",
  verificationTier: "sdk",
  seats: "12",
  durationDays: "14",
  maxMissedDays: "3",
};

/** Returns the values of a stored listing for its form, with one screen per line. */
const currentListing = (listing: Listing): Values => ({
  appName: listing.appName,
  packageName: listing.packageName,
  optInUrl: listing.optInUrl,
  iconUrl: listing.iconUrl ?? "",
  testBrief: listing.testBrief,
  screens: listing.screens.join("\n"),
  verificationTier: listing.verificationTier,
  seats: String(listing.seats),
  durationDays: String(listing.durationDays),
  maxMissedDays: String(listing.maxMissedDays),
});

/** Returns the request body of the API for the values of the form. */
function listingBody({ iconUrl, screens, seats, durationDays, maxMissedDays, ...rest }: Values) {
  return {
    ...rest,
    ...(iconUrl === undefined ? {} : { iconUrl: iconUrl.trim() === "" ? null : iconUrl }),
    ...(screens === undefined ? {} : { screens: linesOf(screens) }),
    ...numberAt("seats", seats),
    ...numberAt("durationDays", durationDays),
    ...numberAt("maxMissedDays", maxMissedDays),
  };
}

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Returns the value as a number. Other text stays a text, and the API refuses it with a reason. */
const numberAt = (name: string, given: string | undefined): Record<string, number | string> =>
  given === undefined ? {} : { [name]: /^\s*-?\d{1,9}\s*$/.test(given) ? Number(given) : given };

const NewCycle = ({
  listing: { seats, durationDays },
  form,
  action,
  ownZone,
}: {
  readonly listing: Listing;
  readonly form: Filled;
  readonly action: string;
  /**
   * Whether a script selects the browser's time zone, because the server does not know the person's time zone.
   */
  readonly ownZone: boolean;
}) => (
  <form class="card stack" method="post" action={action}>
    <Refused refusal={form.refusal} />
    <p>
      A cycle starts and ends automatically. Testers can request its {seats} slots immediately. The first day
      begins at midnight in the time zone below. The cycle ends after {durationDays} days.
    </p>
    <IdempotencyField />
    <div class="columns">
      <TextField form={form} name="startsOn" label="First day" type="date" required />
      <Select
        form={form}
        name="timezone"
        ownZone={ownZone}
        label="Time zone"
        options={timeZones.map((zone) => [zone, zone.replaceAll("_", " ")])}
        hint="Days begin and end at midnight in this time zone."
      />
    </div>
    <div class="actions">
      <button class="primary" type="submit">
        Plan the cycle
      </button>
    </div>
  </form>
);

const newListingPage = definePage({
  at: (links) => links.testing(":appId", "new"),
  needs: "maintainer",
  show: showNewListing,
});

const listingPage = definePage({
  at: (links) => links.listing(":appId", ":listingId"),
  needs: "viewer",
  show: showListing,
});

interface Offer {
  readonly listing: Listing;
  readonly cycles: readonly JudgedCycle[];
}

/** Shows the tests of an app: first the requests for slots, and then the listings with their cycles. */
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
          Plan and run closed tests of your app. Each tester has a slot. A day counts if a session or a proof
          shows that the tester used the app.
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

export const definitions: Definitions = [
  newListingPage,
  listingPage,
  defineForm({
    at: (links) => links.testing(":appId", "new"),
    page: newListingPage,
    act: createListing,
    done: { "listing-created": "The listing is created. Plan its first cycle below." },
    word: "createListing",
    notDone: "The listing was not created.",
  }),
  defineForm({
    at: (links) => links.listing(":appId", ":listingId"),
    page: listingPage,
    act: updateListing,
    done: changed,
    ...changesNotSaved,
  }),
  defineForm({
    at: (links) => links.listing(":appId", ":listingId", "cycles"),
    page: listingPage,
    act: createCycle,
    done: { "cycle-created": "The cycle is planned. It starts and ends automatically." },
    word: "planCycle",
    notDone: "The cycle was not planned.",
  }),
  listingsPage,
];
