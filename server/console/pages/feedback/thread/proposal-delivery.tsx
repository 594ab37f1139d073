import type { DeliveryRow } from "../../../../store/feedback/deliveries.ts";
import { Timestamp } from "../../../kit/display/timestamp.tsx";
import { Line } from "../../../kit/display/user-text.tsx";

export interface ProposalDeliveryProps {
  readonly deliveries: readonly DeliveryRow[];
  readonly runId: string;
}

/** Whether the app's chat channel was told of a proposal. */
export const ProposalDelivery = ({ deliveries, runId }: ProposalDeliveryProps) => {
  const delivery = deliveries.find((row) => row.proposalId === runId);
  return delivery ? (
    <p class="muted small">
      Chat channel: <State delivery={delivery} />
    </p>
  ) : null;
};

const State = ({ delivery: { status, sentAt, attempts, lastError } }: { readonly delivery: DeliveryRow }) => {
  if (status === "sent" && sentAt !== null) {
    return (
      <>
        sent <Timestamp at={sentAt} />
      </>
    );
  }
  const reason = lastError === null ? null : <Reason error={lastError} />;
  if (status === "failed")
    return (
      <>
        not sent; gave up after {attempts} attempts.{reason}
      </>
    );
  return attempts === 0 ? <>waiting to be sent</> : <>not sent yet, trying again.{reason}</>;
};

const Reason = ({ error }: { readonly error: string }) => (
  <>
    {" "}
    <Line text={error} />
  </>
);
