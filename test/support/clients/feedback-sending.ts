import * as z from "zod/mini";
import { type Answering, startRecordingServer } from "../network/recording-server.ts";
import { createCommandLine } from "./command-line.ts";

const Kept = z.object({
  items: z.array(z.looseObject({ id: z.string(), baseUrl: z.string(), outcome: z.nullable(z.string()) })),
});

export const send = ["feedback", "send", "--type", "bug", "--message", "It broke"];

/** The same, but a request is sent only once. */
export const sendOnce = [...send, "--max-wait", "0s"];

/** A command line with an app key, and a server with only the specified fields and with prepared answers. */
export async function startFeedbackSending(...answers: readonly Answering[]) {
  const { baseUrl, received } = await startRecordingServer(...answers);
  const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: "sdk_test" });
  const kept = async () => {
    const { json } = await line.run(["feedback", "resend", "--list", "--json"]);
    return Kept.parse(json()).items;
  };
  return {
    baseUrl,
    line,
    received,
    /** The stored reports. */
    kept,
    /** The id of the only stored report. */
    async keptId() {
      const [report, ...others] = await kept();
      if (!report || others.length > 0) throw new Error(`There are ${others.length} more.`);
      return report.id;
    },
    keys: () => received.map(({ headers }) => headers["idempotency-key"]),
    bodies: () => received.map(({ body }) => JSON.parse(body.toString())),
  };
}
