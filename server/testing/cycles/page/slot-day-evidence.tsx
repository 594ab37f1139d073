import type { Cycle, SlotDay, SlotWithDays } from "../../../../src/contract/cycles.ts";
import { Picture } from "../../../console/picture.tsx";
import { Line, UserText } from "../../../console/text.tsx";
import { dateOfDay, lengthOfTime, zonedClock, zonedDay } from "../../../console/zoned-times.ts";
import { ZonedTime } from "../../../console/zoned-timestamp.tsx";
import { Mark, markOf } from "./slot-day-marks.tsx";
import { reasonSentence } from "./slot-day-reasons.ts";

export interface DayEvidenceProps {
  readonly cycle: Cycle;
  readonly slot: SlotWithDays;
  readonly day: SlotDay;
  /** The start of the address of an uploaded image. Other images are not shown. */
  readonly uploads: string;
}

/** The evidence of a slot's day. If the day did not count, it says why. */
export const SlotDayEvidence = ({ cycle, slot, day, uploads }: DayEvidenceProps) => (
  <>
    <h2>{`Slot ${slot.seat}, day ${day.dayIndex}`}</h2>
    <p class="muted">
      {zonedDay(dateOfDay(cycle.startsOn, day.dayIndex).toISOString(), "UTC")}
      {slot.tester !== null && (
        <>
          {" · "}
          <Line text={slot.tester.email} />
        </>
      )}
    </p>
    <p class="verdict">
      <Mark mark={markOf(day)} />
      <b>{verdictOf(day)}</b>
    </p>
    {day.state !== "counted" && <WhyNot day={day} />}
    {day.session && <SessionFacts cycle={cycle} day={day} session={day.session} />}
    {day.proof && <ProofFacts cycle={cycle} proof={day.proof} uploads={uploads} />}
    <p class="muted small">{`Times are in ${cycle.timezone}.`}</p>
  </>
);

function verdictOf({ state, countedBy }: SlotDay): string {
  switch (state) {
    case "counted":
      return countedBy === "proof" ? "Counted by a proof" : "Counted by a session";
    case "missed":
      return "Missed: the day closed without being counted";
    case "open":
      return "Open: today can still be counted";
    case "ahead":
      return "Ahead: this day has not begun";
    default:
      return "Not required: the slot became active on this day or later, or had ended";
  }
}

const WhyNot = ({ day: { reason, sessions, state } }: { readonly day: SlotDay }) => {
  if (reason !== null) {
    return (
      <p class="why">
        <b>{sessions > 1 ? "The last session did not count." : "The session did not count."}</b>{" "}
        {reasonSentence(reason)}
      </p>
    );
  }
  if (sessions > 0 || (state !== "missed" && state !== "open")) return null;
  return <p class="why">No session and no proof arrived for this day.</p>;
};

interface SessionFactsProps {
  readonly cycle: Cycle;
  readonly day: SlotDay;
  readonly session: NonNullable<SlotDay["session"]>;
}

const SessionFacts = ({ cycle: { timezone }, day, session }: SessionFactsProps) => {
  const seconds = (Date.parse(session.endedAt) - Date.parse(session.startedAt)) / 1_000;
  return (
    <section class="stack tight">
      <h3>{day.countedBy === "session" ? "The session that counted" : "The longest session"}</h3>
      <dl class="pairs">
        <dt>From</dt>
        <dd>
          <ZonedTime at={session.startedAt} timezone={timezone} />
        </dd>
        <dt>Length</dt>
        <dd>{`${lengthOfTime(seconds)}, until ${zonedClock(session.endedAt, timezone)}`}</dd>
        <dt>Screens</dt>
        <dd>
          <Screens names={session.screens} />
        </dd>
        <dt>App version</dt>
        <dd>{session.appVersion === null ? "Not reported" : <Line text={session.appVersion} />}</dd>
        <dt>Received</dt>
        <dd>
          <ZonedTime at={session.receivedAt} timezone={timezone} />
        </dd>
        <dt>Sessions</dt>
        <dd>{`${day.sessions} reported for this day`}</dd>
      </dl>
    </section>
  );
};

const Screens = ({ names }: { readonly names: readonly string[] }) =>
  names.length === 0 ? (
    <>None</>
  ) : (
    <ul class="names">
      {names.map((name) => (
        <li key={name}>
          <Line text={name} />
        </li>
      ))}
    </ul>
  );

interface ProofFactsProps {
  readonly cycle: Cycle;
  readonly proof: NonNullable<SlotDay["proof"]>;
  readonly uploads: string;
}

const ProofFacts = ({ cycle: { timezone }, proof, uploads }: ProofFactsProps) => {
  const images = proof.images.filter((address) => address.startsWith(uploads));
  return (
    <section class="stack tight">
      <h3>The proof</h3>
      <dl class="pairs">
        <dt>Captured</dt>
        <dd>
          <ZonedTime at={proof.capturedAt} timezone={timezone} />
        </dd>
        {proof.queuedAt !== null && (
          <>
            <dt>Queued</dt>
            <dd>
              <ZonedTime at={proof.queuedAt} timezone={timezone} />
            </dd>
          </>
        )}
        <dt>Received</dt>
        <dd>
          <ZonedTime at={proof.receivedAt} timezone={timezone} />
        </dd>
      </dl>
      {proof.note !== null && <UserText text={proof.note} />}
      <ul class="files" aria-label="Images of the proof">
        {images.map((address, at) => (
          <li key={address}>
            <Picture url={address} alt={`Proof, ${at + 1} of ${images.length}`} />
          </li>
        ))}
      </ul>
    </section>
  );
};
