import type { MailFault } from "../mail/outgoing/rules.ts";
import type { SignedInVisit } from "./definitions.ts";
import { versionOf } from "./forms.tsx";
import type { Navigation } from "./layout.tsx";
import { Line } from "./parts.tsx";
import { Timestamp } from "./times.tsx";

const help = "https://github.com/innkeep/innkeep/blob/main/docs/operating.md#if-mail-cannot-be-sent";

/**
 * Returns why the mails of `app`, or of all owned apps, cannot be sent. Only owners get a result. (rule M17)
 */
export async function mailFaultFor(
  { reads }: SignedInVisit,
  { app, apps }: Pick<Navigation, "app" | "apps">,
): Promise<MailFault | undefined> {
  const isOwner = (app ? [app] : apps).some(({ role }) => role === "owner");
  return isOwner ? reads.mailFault(app?.id) : undefined;
}

interface MailFaultProps {
  readonly fault: MailFault | undefined;
}

/** Shows a notice if mails cannot be sent. Shows nothing if there is no fault. */
export const MailFaultNotice = ({ fault }: MailFaultProps) =>
  fault === undefined ? null : (
    <p class="notice attention">
      <b>Mail cannot be sent:</b> {waitingWords(fault)} since <Timestamp at={fault.since} />.{" "}
      <Line text={fault.reason.replace(/\.$/, "")} />. <a href={help}>What to do</a>
    </p>
  );

function waitingWords({ count, isMore }: MailFault): string {
  if (count === 1) return "1 mail has waited";
  return `${isMore ? "more than " : ""}${count} mails have waited`;
}

/**
 * The same as `MailFaultNotice`, for pages that a script updates. The element always exists, because the script
 * fills it.
 */
export const LiveMailFault = ({ fault }: MailFaultProps) => (
  <div id="mail-fault" class="page-notice" data-live={versionOf(fault ?? null)}>
    <MailFaultNotice fault={fault} />
  </div>
);
