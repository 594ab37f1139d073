import type { ComponentChildren } from "preact";
import { type Cycle, cycles, type SlotWithDays } from "../../../../src/contract/cycles.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { type Listing, listings } from "../../../../src/contract/listings.ts";
import { Can } from "../../../console/can.tsx";
import { Confirmation } from "../../../console/confirmation.tsx";
import { versionOf } from "../../../console/filled-form.ts";
import type { Filled } from "../../../console/forms.tsx";
import { ConsolePage } from "../../../console/layout.tsx";
import { type AppNavigation, appNavigationOf } from "../../../console/navigation.ts";
import { Refused } from "../../../console/parts.tsx";
import { type Reply, show } from "../../../console/reply.ts";
import { Line } from "../../../console/text.tsx";
import type { SignedInVisit } from "../../../console/visit.ts";
import { ZonedDay } from "../../../console/zoned-timestamp.tsx";
import { CycleBadge } from "./cycle-badges.tsx";
import { CycleFacts } from "./cycle-facts.tsx";
import { type Chosen, SlotDayGrid } from "./days.tsx";
import { isLive } from "./line.tsx";
import { OpenSlots } from "./open-slots.tsx";
import { SlotDayEvidence } from "./slot-day-evidence.tsx";
import { Legend } from "./slot-day-marks.tsx";
import { SlotRequests } from "./slot-requests.tsx";
import { SlotPanel } from "./slots.tsx";

/** The forms of a cycle that were refused. */
export interface CycleForms {
  readonly slot?: Filled;
  readonly assign?: Filled;
  readonly cancel?: Filled;
}

export const cyclePage = (visit: SignedInVisit): Promise<Reply> => showCycle(visit);

export async function showCycle(visit: SignedInVisit, forms: CycleForms = {}): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "testing");
  const { cycle, slots } = await readCycle(visit);
  const listing = await visit.ask(listings.read, { params: { listingId: cycle.listingId } });
  const uploads = `${visit.settings.baseUrl}/uploads/`;
  const address = navigation.links.cycle(navigation.app.id, cycle.id);
  const chosen = chosenOf(visit, slots);
  const refusal = (forms.slot ?? forms.assign ?? forms.cancel)?.refusal;
  return show(
    <CycleDetail
      {...{ navigation, cycle, slots, listing, forms, chosen, address, uploads }}
      now={visit.now}
    />,
    refusal?.status,
  );
}

/** The cycle that the path names, if it belongs to the app in the path. Throws `not_found`. */
export async function readCycle({ ask, param }: SignedInVisit) {
  const read = await ask(cycles.read, { params: { cycleId: param("cycleId") } });
  if (read.cycle.appId !== param("appId").toLowerCase()) throw new ApiError("not_found");
  return read;
}

export const cycleAddress = ({ links, param }: SignedInVisit): string =>
  links.cycle(param("appId"), param("cycleId"));

/** The slot, or the day of a slot, that the address names; undefined if it is not in this cycle. */
function chosenOf(visit: SignedInVisit, slots: readonly SlotWithDays[]): Chosen | undefined {
  const slotId = visit.query("slot") || visit.param("slotId");
  const slot = slots.find((known) => known.slotId === slotId.toLowerCase());
  return slot && { slot, day: slot.days.find(({ dayIndex }) => String(dayIndex) === visit.query("day")) };
}

interface CycleDetailProps {
  readonly navigation: AppNavigation;
  readonly cycle: Cycle;
  readonly slots: readonly SlotWithDays[];
  readonly listing: Listing;
  readonly forms: CycleForms;
  readonly chosen: Chosen | undefined;
  readonly address: string;
  readonly uploads: string;
  readonly now: Date;
}

const CycleDetail = (props: CycleDetailProps) => {
  const { navigation, cycle, slots, forms, address, listing } = props;
  const open = isLive(cycle) ? slots.filter(({ status }) => status === "open") : [];
  return (
    <ConsolePage navigation={navigation} title={listing.appName}>
      <Head {...props} />
      <div class="stack wide">
        <Refused refusal={(forms.slot ?? forms.cancel)?.refusal} />
        <Live id="facts" of={[cycle, slots]}>
          <CycleFacts cycle={cycle} slots={slots} />
        </Live>
        <Requests {...props} />
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
              The cycle ends now: no further days count, testers lose their slots, and requests are dropped.
              The counted days stay on record. You cannot start this cycle again.
            </Confirmation>
          )}
        </Can>
      </div>
    </ConsolePage>
  );
};

const Head = ({ navigation: { links, app }, cycle, listing, address }: CycleDetailProps) => (
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
        <p>Days begin and end at midnight in {cycle.timezone}. The cycle starts and ends by itself.</p>
      </div>
      <a class="button" href={`${address}/report`}>
        {isLive(cycle) ? "Report so far" : "End report"}
      </a>
    </div>
  </>
);

interface LiveProps {
  readonly id: string;
  /** What the part shows. When it has changed, the script loads the part again. */
  readonly of: unknown;
  /** What a screen reader says then. */
  readonly news?: string;
  readonly children: ComponentChildren;
}

const Live = ({ id, of, news, children }: LiveProps) => (
  <div id={id} data-live={versionOf(of)} data-news={news}>
    {children}
  </div>
);

const Requests = ({ navigation: { links, app }, cycle, slots, now }: CycleDetailProps) => {
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

/** The grid, and beside it the details of the chosen slot or day. */
const Days = ({ navigation: { links, app }, cycle, slots, chosen, address, uploads }: CycleDetailProps) => (
  <section class="stack" aria-labelledby="days-title">
    <h2 id="days-title">Slots and days</h2>
    <div class="board">
      <div
        class="stack tight"
        id="grid"
        data-live={versionOf(slots)}
        data-news="The slots and days have changed."
      >
        <SlotDayGrid {...{ cycle, slots, chosen, address }} />
        <Legend />
      </div>
      <aside class="card stack evidence" id="evidence" aria-label="Evidence" aria-live="polite">
        {chosen === undefined && (
          <p class="muted">Choose a day to see its evidence, or a slot to see its state and to change it.</p>
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
