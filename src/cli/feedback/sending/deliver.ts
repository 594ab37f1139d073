import type { Client } from "../../../client/calls/call.ts";
import { feedbackBody } from "../../../client/calls/feedback-body.ts";
import { ServerError } from "../../../client/errors.ts";
import type { Invocation } from "../../core/program/context.ts";
import { type Delivery, deliverContent } from "../../delivery/deliver.ts";
import type { OutgoingFeedback } from "./outgoing-feedback.ts";

/** The server's answer. Other servers may give neither id nor address. */
export type Answer = Partial<Awaited<ReturnType<Client["feedback"]["submit"]>>>;

/** Sends a report. Repeats it with the same key after a failure on the way. */
export const deliver = (invocation: Invocation, report: OutgoingFeedback): Promise<Delivery<Answer>> =>
  deliverContent<Answer>(invocation, feedbackBody(report.fields, report.files), {
    async send(given) {
      const { idempotencyKey } = report;
      const answer: Answer = await invocation.client().feedback.submit({ ...given, idempotencyKey });
      if (answer.success === false)
        throw new ServerError({ status: 200, code: "not_taken", message: notTaken });
      return answer;
    },
  });

const notTaken = "The server answered that it did not take the feedback.";
