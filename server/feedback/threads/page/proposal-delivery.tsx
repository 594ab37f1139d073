import type { ProposalDelivery } from "../../../console/page-reads.ts";
import { Line } from "../../../console/text.tsx";
import { Timestamp } from "../../../console/timestamp.tsx";

export interface DeliveryStateProps {
  readonly deliveries: readonly ProposalDelivery[];
  readonly runId: string;
}

/** Whether the message about a proposal has reached the app's chat channel. */
export const DeliveryState = ({ deliveries, runId }: DeliveryStateProps) => {
  const delivery = deliveries.find((row) => row.proposalId === runId);
  return delivery ? (
    <p class="muted small">
      Chat channel: <State delivery={delivery} />
    </p>
  ) : null;
};

const State = ({
  delivery: { status, sentAt, attempts, lastError },
}: {
  readonly delivery: ProposalDelivery;
}) => {
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
