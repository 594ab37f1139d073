import { BarePage } from "../../../console/bare-page.tsx";
import { HiddenFields } from "../../../console/hidden-fields.tsx";
import type { Links } from "../../../console/links.ts";
import { notDone } from "../../../console/notices.ts";
import { type Reply, show } from "../../../console/reply.ts";
import { type PendingForm, showingAgain } from "../pending-form.ts";

/** Leads back to a form that was sent without a console session. With scripts, this needs no click. */
export const showPendingForm = (links: Links, kept: PendingForm): Reply =>
  show(
    <BarePage links={links} title="Signed in again">
      <div class="card stack">
        <h1>You are signed in again</h1>
        <p>
          Your session had ended. <b>{notDone(kept.act)}</b> What you wrote is kept.
        </p>
        <form method="post" action={kept.action} data-continues>
          <HiddenFields values={showingAgain(kept)} />
          <button class="primary" type="submit">
            Go back to what you wrote
          </button>
        </form>
      </div>
    </BarePage>,
  );
