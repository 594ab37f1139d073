import type { Links } from "./links.ts";
import type { InvitedRead, InvitedRow } from "./page-reads.ts";
import { Line } from "./parts.tsx";

/**
 * Returns for what and whom the person is invited, if `to` is the page of an invitation. Otherwise, and for a link that
 * cannot be used, returns undefined.
 */
export async function invitedTo(
  { links, invited }: { readonly links: Links; readonly invited: InvitedRead },
  to: string,
): Promise<InvitedRow | undefined> {
  const start = links.invitation("");
  if (!to.startsWith(start)) return undefined;
  const [token = ""] = to.slice(start.length).split(/[/?#]/, 1);
  return invited(token);
}

/**
 * Says who invites whom, and to what, before the person signs in or creates an account. The name of the app is in
 * quotation marks, because whoever invites has chosen it and it must not look like a sentence of the server.
 */
export const InvitedTo = ({
  invited: { appName, role, email, invitedBy },
  action,
}: {
  readonly invited: InvitedRow;
  /** What the person does on this page, such as `Sign in`. */
  readonly action: string;
}) => (
  <p>
    <Line text={invitedBy} /> invites you to work on the app “
    <Line text={appName} />
    ”. Your role is {role}. The invitation is for the address <Line text={email} />. {action} with this
    address.
  </p>
);
