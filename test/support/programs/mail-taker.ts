import { writeFileSync } from "node:fs";
import { readMail } from "../../../server/mail/incoming/read.ts";
import { budgetsOf } from "../../../server/settings/settings.ts";

/**
 * Reads one mail of TAKER with the budgets of a machine with this amount of memory, in a group with this limit, and
 * prints its text.
 */
async function take(): Promise<void> {
  const { members, memory, head, part, times } = JSON.parse(process.env.TAKER ?? "{}");
  if (members !== undefined) writeFileSync(members, String(process.pid));
  const { mailBytes, mailThreadBytes } = budgetsOf(undefined, memory);
  const source = Buffer.from(head + part.repeat(times)).subarray(0, mailBytes);
  const mail = await readMail(source, { bytes: mailThreadBytes });
  process.stdout.write(`${JSON.stringify({ text: mail?.text ?? null })}\n`);
}

take().catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
