import { Can } from "../../console/can.tsx";
import type { AppNavigation } from "../../console/navigation.ts";

/** The ways to the pages with which a team keeps its inbox in order. */
export const InboxLinks = ({ navigation: { app, links } }: { readonly navigation: AppNavigation }) => (
  <nav class="row muted small inbox-links" aria-label="More about the inbox">
    <a href={links.tags(app.id)}>Tags</a>
    <a href={links.savedReplies(app.id)}>Saved replies</a>
    <Can needs="maintainer">
      <a href={links.blocked(app.id)}>Blocked senders</a>
      <a href={links.automaticMails(app.id)}>Mail of programs</a>
    </Can>
  </nav>
);
