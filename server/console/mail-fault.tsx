import type { MailFault } from "../mail/outgoing/rules.ts";
import type { SignedInVisit } from "./definitions.ts";
import { versionOf } from "./forms.tsx";
import type { Navigation } from "./navigation.ts";
import { Line } from "./parts.tsx";
import { Timestamp } from "./times.tsx";

const help = "https://github.com/innkeep/innkeep/blob/main/docs/operating.md#if-mail-does-not-leave";

/**
 * Returns why the mails of the app of a page do not leave, or on a page without an app those of all apps that the person
 * owns. Returns undefined if they leave, and for a person who is not an owner. (rule M17)
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

/** The notice that mails do not leave. Shows nothing without a fault. */
export const MailFaultNotice = ({ fault }: MailFaultProps) =>
  fault === undefined ? null : (
    <p class="notice attention">
      <b>Mail does not leave:</b> {waitingWords(fault)} since <Timestamp at={fault.since} />.{" "}
      <Line text={fault.reason.replace(/\.$/, "")} />. <a href={help}>What to do</a>
    </p>
  );

function waitingWords({ count, isMore }: MailFault): string {
  if (count === 1) return "1 mail has waited";
  return `${isMore ? "more than " : ""}${count} mails have waited`;
}

/**
 * The same notice on a page that a script updates. The element also exists without a fault, so that the script can show
 * the notice later.
 */
export const LiveMailFault = ({ fault }: MailFaultProps) => (
  <div id="mail-fault" class="page-notice" data-live={versionOf(fault ?? null)}>
    <MailFaultNotice fault={fault} />
  </div>
);
