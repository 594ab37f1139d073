import type { ComponentChildren } from "preact";
import {
  type Cycle,
  cycles,
  type CycleDetail as Detail,
  type Listing,
  listings,
  type SlotWithDays,
  slots,
} from "../../../../src/contract/cycles.ts";
import { ApiError, badRequest } from "../../../../src/contract/errors.ts";
import { countOf } from "../../../../src/words/phrases.ts";
import {
  type Definitions,
  defineForm,
  definePage,
  type PageHandler,
  type SignedInVisit,
} from "../../../console/definitions.ts";
import {
  Confirmation,
  type Fields,
  type Filled,
  fieldVersion,
  filledAgain,
  filledWith,
  HiddenFields,
  IdempotencyField,
  originalVersionName,
  Select,
  TextField,
  versionOf,
} from "../../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage } from "../../../console/layout.tsx";
import type { NotDone } from "../../../console/notices.ts";
import { Can, Line, Refused } from "../../../console/parts.tsx";
import { goTo, InTurns, type Reply, reshowForm, show } from "../../../console/respond.tsx";
import { dateOfDay, dateParts, justBefore, Remaining, ZonedDay, ZonedTime } from "../../../console/times.tsx";
import { CycleBadge, isLive, progressOf, SlotBadge } from "../parts.tsx";
import { type Chosen, SlotDayEvidence, SlotDayGrid, TodayAndRuns, Verdict } from "./standing.tsx";

function cancelCycle(visit: SignedInVisit): Promise<Reply<"cycle-cancelled">> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const { cycle } = await readCycle(visit);
      await ask(cycles.cancel, {
        params: { cycleId: cycle.id },
        body: {},
        idempotencyKey: fields.idempotencyKey,
      });
      return goTo(cycleAddress(visit), "cycle-cancelled");
    },
    (refusal) => showCycle(visit, { cancel: filledAgain(fields, refusal) }),
  );
}

const cycleAddress = ({ links, param }: SignedInVisit): string =>
  links.cycle(param("appId"), param("cycleId"));

const CycleDetail = (props: CycleDetailProps) => {
  const { navigation, detail, forms, address, listing, now } = props;
  const { cycle, slots } = detail;
  const { links, app } = navigation;
  const planAddress = `${links.listing(app.id, listing.id)}#plan`;
  const open = isLive(cycle) ? slots.filter(({ status }) => status === "open") : [];
  return (
    <ConsolePage navigation={navigation} title={listing.appName}>
      <Head {...props} />
      <div class="stack wide">
        <Refused refusal={(forms.slot ?? forms.cancel)?.refusal} />
        <Live id="verdict" of={detail.verdict} news={detail.verdict.text}>
          <Verdict {...{ detail, listing, now, address, planAddress }} />
        </Live>
        <Requests {...props} />
        <Live id="today" of={[detail.today, detail.attention, detail.unbroken, listing.verificationTier]}>
          <TodayAndRuns {...{ detail, listing, now, address, planAddress }} />
        </Live>
        <Days {...props} />
        <Can needs="maintainer">
          {(open.length > 0 || forms.assign) && (
            <OpenSlots slots={open} form={forms.assign} action={`${address}/assign`} />
          )}
          {isLive(cycle) && (
            <Confirmation
              offer="Cancel this cycle"
              action={`${address}/cancel`}
              button="Cancel the cycle"
              danger
            >
              The cycle ends now: no further days count, testers lose their slots, and requests for slots end.
              The counted days are kept. You cannot start this cycle again.
            </Confirmation>
          )}
        </Can>
      </div>
    </ConsolePage>
  );
};

const Head = ({ navigation: { links, app }, detail: { cycle }, listing, address }: CycleDetailProps) => (
  <>
    <a class="back" href={links.listing(app.id, cycle.listingId)}>
      <span aria-hidden="true">←</span> <Line text={listing.appName} />
    </a>
    <div class="head">
      <div>
        <div class="row">
          <h1>
            Cycle from <ZonedDay at={cycle.startsAt} timezone={cycle.timezone} />
          </h1>
          <CycleBadge status={cycle.status} />
        </div>
        <p class="under">
          <span>{progressOf(cycle)}</span>
          <span>
            last day <ZonedDay at={justBefore(cycle.endsAt)} timezone={cycle.timezone} />
          </span>
          <span>{cycle.timezone}</span>
          <span>
            {listing.verificationTier === "sdk"
              ? `Late sessions count until ${lateUntil(cycle)}`
              : "A proof counts only on its day"}
          </span>
        </p>
      </div>
      <a class="button" href={`${address}/report`}>
        {isLive(cycle) ? "Report so far" : "Final report"}
      </a>
    </div>
  </>
);

/**
 * Returns the date after the last day. Late sessions of the last day count until the end of this date.
 * (rule D7)
 */
const lateUntil = ({ startsOn, durationDays }: Cycle): string =>
  dateParts(dateOfDay(startsOn, durationDays + 1)).date;

const Live = ({
  id,
  of,
  news,
  children,
}: {
  readonly id: string;
  /** The data that this part of the page shows. The script replaces the part when the data has changed. */
  readonly of: unknown;
  /** The text that a screen reader reads after the part was replaced. */
  readonly news?: string;
  readonly children: ComponentChildren;
}) => (
  <div id={id} data-live={versionOf(of)} data-news={news}>
    {children}
  </div>
);

const Requests = ({ navigation: { links, app }, detail: { cycle, slots }, now }: CycleDetailProps) => {
  const requested = slots.filter(({ status }) => status === "requested");
  return (
    <Live id="requests" of={requested} news="The requests for slots have changed.">
      {requested.length > 0 && (
        <SlotRequests
          slots={requested}
          now={now}
          at={(slotId, action) => links.slot({ appId: app.id, cycleId: cycle.id, slotId }, action)}
        />
      )}
    </Live>
  );
};

/** Shows the grid of slots and days, and next to it the details of the chosen slot or day. */
const Days = ({
  navigation: { links, app },
  detail,
  chosen,
  address,
  uploads,
  byAttention,
}: CycleDetailProps) => {
  const { cycle, slots } = detail;
  return (
    <section class="stack" aria-labelledby="days-title">
      <div class="row spread">
        <h2 id="days-title">Slots and days</h2>
        <Order {...{ address, byAttention }} />
      </div>
      <div class="board">
        <div
          class="stack tight"
          id="grid"
          data-live={versionOf([slots, detail.attention])}
          data-news="The slots and days have changed."
        >
          <SlotDayGrid {...{ detail, chosen, address, byAttention }} />
        </div>
        <aside class="card stack evidence" id="evidence" aria-label="Evidence" aria-live="polite">
          {chosen === undefined && (
            <p class="muted">
              Choose a day to see its evidence, or a slot to see its state and to change it.
            </p>
          )}
          {chosen?.day && <SlotDayEvidence {...{ cycle, uploads }} slot={chosen.slot} day={chosen.day} />}
          {chosen && !chosen.day && (
            <SlotPanel
              cycle={cycle}
              slot={chosen.slot}
              at={(action) =>
                links.slot({ appId: app.id, cycleId: cycle.id, slotId: chosen.slot.slotId }, action)
              }
            />
          )}
        </aside>
      </div>
    </section>
  );
};

/** Shows the links that choose the order of the slots in the grid. */
const Order = ({ address, byAttention }: Pick<CycleDetailProps, "address" | "byAttention">) => (
  <nav class="pills" aria-label="Order of the slots">
    <a href={`${address}#days-title`} aria-current={byAttention ? undefined : "true"}>
      By number
    </a>
    <a href={`${address}?order=attention#days-title`} aria-current={byAttention ? "true" : undefined}>
      Needs attention first
    </a>
  </nav>
);

/** Shows the form that assigns an open slot to a tester who has not requested a slot. */
const OpenSlots = ({
  slots,
  form,
  action,
}: {
  readonly slots: readonly SlotWithDays[];
  readonly form: Filled | undefined;
  readonly action: string;
}) => (
  <section class="stack" aria-labelledby="open-slots">
    <div>
      <h2 id="open-slots">{countOf(slots.length, "open slot")}</h2>
      <p class="muted">
        Testers can find open slots and request one. You can also assign a slot to a person who has an account
        here.
      </p>
    </div>
    <form class="card stack" method="post" action={action}>
      <Refused refusal={form?.refusal} />
      <IdempotencyField />
      <div class="columns">
        <TextField
          form={form ?? filledWith()}
          name="email"
          label="E-mail of the tester"
          type="email"
          autocomplete="off"
          required
        />
        <Select
          form={form ?? filledWith()}
          name="slotId"
          label="Slot"
          options={slots.map(({ slotId, seat }) => [slotId, `Slot ${seat}`])}
        />
      </div>
      <div class="actions">
        <button type="submit">Assign slot</button>
      </div>
    </form>
  </section>
);

/** Shows the state of a slot, and the forms with which a maintainer changes the slot. */
const SlotPanel = (props: SlotPanelProps) => {
  const { slot } = props;
  return (
    <>
      <div class="row">
        <h2>{`Slot ${slot.seat}`}</h2>
        <SlotBadge status={slot.status} />
      </div>
      {slot.tester === null ? (
        <p class="muted">Nobody has this slot yet. A tester can request it, or a maintainer can assign it.</p>
      ) : (
        <SlotFacts {...props} tester={slot.tester} />
      )}
      <Can needs="maintainer">
        <SlotActions {...props} />
      </Can>
    </>
  );
};

const SlotFacts = ({ cycle, slot, tester }: SlotPanelProps & { readonly tester: Tester }) => (
  <dl class="pairs">
    <dt>Tester</dt>
    <dd>
      <Line text={tester.email} />
    </dd>
    <Moment name="Request expires" at={slot.requestExpiresAt} timezone={cycle.timezone} />
    <Moment name="Active since" at={slot.activatedAt} timezone={cycle.timezone} />
    <Moment name="Ended" at={slot.endedAt} timezone={cycle.timezone} />
    {slot.activatedAt !== null && (
      <>
        <dt>Counted</dt>
        <dd>{`${slot.daysCounted} of ${countOf(cycle.durationDays, "day")}`}</dd>
        <dt>Missed</dt>
        <dd>{`${slot.missedDays}; at ${cycle.maxMissedDays}, the tester loses the slot`}</dd>
        <dt>Store’s test</dt>
        <dd>{slot.joinCheckPending ? "Joining is not confirmed yet" : "Joined"}</dd>
      </>
    )}
  </dl>
);

const Moment = ({
  name,
  at,
  timezone,
}: {
  readonly name: string;
  readonly at: string | null;
  readonly timezone: string;
}) =>
  at === null ? null : (
    <>
      <dt>{name}</dt>
      <dd>
        <ZonedTime at={at} timezone={timezone} />
      </dd>
    </>
  );

const SlotActions = ({ cycle, slot, at }: SlotPanelProps) => {
  if (slot.status === "requested") return <AnswerForms slot={slot} at={at} />;
  if (!isLive(cycle) || (slot.status !== "active" && slot.status !== "at_risk")) return null;
  return (
    <div class="stack tight">
      {slot.joinCheckPending && (
        <form class="actions" method="post" action={at("confirm-join")}>
          <IdempotencyField />
          <button class="small" type="submit">
            Confirm joining
          </button>
        </form>
      )}
      <Confirmation offer="Replace the test key" action={at("rotate-key")} button="Replace the key">
        The current key stops working immediately. Sessions that are reported with it later do not count. The
        tester’s client reads the new key automatically.
      </Confirmation>
      <Confirmation offer="Remove the tester" action={at("remove")} button="Remove permanently" danger>
        The tester loses the slot for the rest of this cycle and cannot get another slot in it. The counted
        days are kept, and another tester can get the slot.
      </Confirmation>
    </div>
  );
};

/** Lists the testers who request a slot in this cycle, each with buttons that accept or decline the request. */
const SlotRequests = ({
  slots,
  now,
  at,
}: {
  readonly slots: readonly SlotWithDays[];
  readonly now: Date;
  /** Returns the address of a form that changes a slot. */
  readonly at: (slotId: string, action: string) => string;
}) => (
  <section class="proposal awaiting" aria-labelledby="requests-title">
    <header>
      <h2 id="requests-title">Slot requests</h2>
      <span class="badge attention">{countOf(slots.length, "request")}</span>
    </header>
    <ul class="requests">
      <InTurns>
        {slots.map((slot) => (
          <li class="row spread" key={slot.slotId}>
            <div>
              <b>
                <Line text={slot.tester?.email ?? ""} />
              </b>
              <p class="muted small">
                {`Slot ${slot.seat}`}
                {slot.requestExpiresAt !== null && (
                  <>
                    {" · expires "}
                    <Remaining at={slot.requestExpiresAt} now={now} />
                  </>
                )}
              </p>
            </div>
            <Can needs="maintainer">
              <AnswerForms slot={slot} at={(action) => at(slot.slotId, action)} />
            </Can>
          </li>
        ))}
      </InTurns>
    </ul>
  </section>
);

const AnswerForms = ({
  slot: { tester, seat },
  at,
}: {
  readonly slot: SlotWithDays;
  readonly at: (action: string) => string;
}) => {
  const whose = <span class="unseen">{` ${tester?.email ?? ""} for slot ${seat}`}</span>;
  const shown = <HiddenFields values={[[shownTester, testerVersion({ tester })]]} />;
  return (
    <div class="actions">
      <form method="post" action={at("accept")}>
        <IdempotencyField />
        {shown}
        <button class="primary small" type="submit">
          Accept{whose}
        </button>
      </form>
      <form method="post" action={at("decline")}>
        <IdempotencyField />
        {shown}
        <button class="small" type="submit">
          Decline{whose}
        </button>
      </form>
    </div>
  );
};

/** The name of the hidden field that identifies the tester whose request the page shows. */
const shownTester = originalVersionName("tester");

const testerVersion = ({ tester }: Pick<SlotWithDays, "tester">): string => fieldVersion(tester?.id ?? "");

const acceptRequest = slotForm("accept", "seat-accepted");

const declineRequest = slotForm("decline", "seat-declined");

const removeTester = slotForm("remove", "seat-removed");

const rotateKey = slotForm("rotateKey", "key-rotated");

const confirmJoin = slotForm("confirmJoin", "join-confirmed");

/** Creates the handler of a form that changes one slot. A refused form is shown again with that slot. */
function slotForm<Done extends string>(
  action: Exclude<keyof typeof slots, "assign">,
  done: Done,
): PageHandler<SignedInVisit, Done> {
  return (visit) => {
    const { ask, fields, param } = visit;
    return reshowForm(
      async () => {
        const slot = await readSlot(visit, param("slotId"));
        refuseOtherTester(fields, slot);
        const { slotId } = slot;
        await ask(slots[action], { params: { slotId }, body: {}, idempotencyKey: fields.idempotencyKey });
        return goTo(cycleAddress(visit), done);
      },
      (refusal) => showCycle(visit, { slot: filledAgain(fields, refusal) }),
    );
  };
}

/** Throws `wrong_state` if another tester has requested the slot since the page was shown. */
function refuseOtherTester(fields: Fields, slot: SlotWithDays): void {
  if (slot.status !== "requested" || fields.text(shownTester) === testerVersion(slot)) return;
  throw new ApiError("wrong_state", {
    message:
      "Another tester has requested this slot since you opened this page. Look at the new request, and then answer it.",
  });
}

/** Assigns an open slot to the account with the e-mail address in the form. */
function assignSlot(visit: SignedInVisit): Promise<Reply<"seat-assigned">> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const { slotId } = await readSlot(visit, fields.text("slotId"));
      const body = { email: fields.text("email") };
      await ask(slots.assign, { params: { slotId }, body, idempotencyKey: fields.idempotencyKey }).catch(
        toFaultOfAddress,
      );
      return goTo(cycleAddress(visit), "seat-assigned");
    },
    (refusal) => showCycle(visit, { assign: filledAgain(fields, refusal) }),
  );
}

/** Returns the slot if it belongs to the cycle in the path. Throws `not_found` otherwise. */
async function readSlot(visit: SignedInVisit, slotId: string): Promise<SlotWithDays> {
  const { slots: ofCycle } = await readCycle(visit);
  const slot = ofCycle.find((known) => known.slotId === slotId.toLowerCase());
  if (!slot) throw new ApiError("not_found");
  return slot;
}

/**
 * Replaces `not_found` with an error for the field `email`. The slot exists, so only the e-mail address can be
 * unknown.
 */
function toFaultOfAddress(error: unknown): never {
  const unknown = error instanceof ApiError && error.code === "not_found";
  throw unknown ? badRequest("email", "does not belong to an account on this server") : error;
}

/** The forms that the server refused. The page shows them again with the values that were sent. */
interface CycleForms {
  readonly slot?: Filled;
  readonly assign?: Filled;
  readonly cancel?: Filled;
}

async function showCycle(visit: SignedInVisit, forms: CycleForms = {}): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "testing");
  const detail = await readCycle(visit);
  const { cycle, slots } = detail;
  const listing = await visit.ask(listings.read, { params: { listingId: cycle.listingId } });
  const uploads = `${visit.settings.baseUrl}/uploads/`;
  const address = navigation.links.cycle(navigation.app.id, cycle.id);
  const chosen = chosenOf(visit, slots);
  const refusal = (forms.slot ?? forms.assign ?? forms.cancel)?.refusal;
  return show(
    <CycleDetail
      {...{ navigation, detail, listing, forms, chosen, address, uploads }}
      byAttention={visit.query("order") === "attention"}
      now={visit.now}
    />,
    refusal?.status,
  );
}

/** Returns the cycle in the path if it belongs to the app in the path. Throws `not_found` otherwise. */
async function readCycle({ ask, param }: SignedInVisit) {
  const read = await ask(cycles.read, { params: { cycleId: param("cycleId") } });
  if (read.cycle.appId !== param("appId").toLowerCase()) throw new ApiError("not_found");
  return read;
}

function chosenOf(visit: SignedInVisit, slots: readonly SlotWithDays[]): Chosen | undefined {
  const slotId = visit.query("slot") || visit.param("slotId");
  const slot = slots.find((known) => known.slotId === slotId.toLowerCase());
  return slot && { slot, day: slot.days.find(({ dayIndex }) => String(dayIndex) === visit.query("day")) };
}

interface CycleDetailProps {
  readonly navigation: AppNavigation;
  readonly detail: Detail;
  readonly listing: Listing;
  readonly forms: CycleForms;
  readonly chosen: Chosen | undefined;
  readonly address: string;
  readonly uploads: string;
  /** Whether the grid begins with the slots that need attention. */
  readonly byAttention: boolean;
  readonly now: Date;
}

const cyclePage = definePage({
  at: (links) => links.cycle(":appId", ":cycleId"),
  needs: "viewer",
  show: showCycle,
});

const slotNotGiven: NotDone = { word: "giveSlot", notDone: "The slot was not assigned to the tester." };

const slotIds = { appId: ":appId", cycleId: ":cycleId", slotId: ":slotId" };

export const definitions: Definitions = [
  cyclePage,
  defineForm({
    at: (links) => links.cycle(":appId", ":cycleId", "assign"),
    page: cyclePage,
    act: assignSlot,
    done: { "seat-assigned": "The tester has the slot and can read its test key." },
    ...slotNotGiven,
  }),
  defineForm({
    at: (links) => links.cycle(":appId", ":cycleId", "cancel"),
    page: cyclePage,
    act: cancelCycle,
    done: { "cycle-cancelled": "The cycle is cancelled. No further days count." },
    word: "cancelCycle",
    notDone: "The cycle was not cancelled.",
  }),
  defineForm({
    at: (links) => links.slot(slotIds, "accept"),
    page: cyclePage,
    act: acceptRequest,
    done: { "seat-accepted": "The tester has the slot and can read its test key." },
    ...slotNotGiven,
  }),
  defineForm({
    at: (links) => links.slot(slotIds, "decline"),
    page: cyclePage,
    act: declineRequest,
    done: { "seat-declined": "The request is declined. The slot is open again." },
    word: "declineRequest",
    notDone: "The request was not declined.",
  }),
  defineForm({
    at: (links) => links.slot(slotIds, "remove"),
    page: cyclePage,
    act: removeTester,
    done: { "seat-removed": "The tester is removed. The counted days are kept." },
    word: "removeTester",
    notDone: "The tester was not removed.",
  }),
  defineForm({
    at: (links) => links.slot(slotIds, "rotate-key"),
    page: cyclePage,
    act: rotateKey,
    done: { "key-rotated": "The test key is replaced. The tester's app reads the new key automatically." },
    word: "rotateKey",
    notDone: "The test key was not replaced.",
  }),
  defineForm({
    at: (links) => links.slot(slotIds, "confirm-join"),
    page: cyclePage,
    act: confirmJoin,
    done: { "join-confirmed": "Confirmed: the tester has joined the store's test." },
    word: "confirmJoin",
    notDone: "The tester was not confirmed.",
  }),
];

interface SlotPanelProps {
  readonly cycle: Cycle;
  readonly slot: SlotWithDays;
  /** Returns the address of a form that changes this slot. */
  readonly at: (action: string) => string;
}

type Tester = NonNullable<SlotWithDays["tester"]>;
