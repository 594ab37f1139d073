import { Document } from "../../console/layout.tsx";
import { createLinkPages } from "../../console/link-pages.tsx";
import type { Links } from "../../console/links.ts";
import { Line } from "../../console/parts.tsx";
import { show } from "../../console/respond.tsx";
import type { Deps } from "../../deps.ts";
import type { Route, SharedSteps } from "../../http/pipeline.ts";
import { createStopMail, stopPath } from "./api.ts";

/** Returns the routes of the page on which a person unsubscribes without a sign-in. (RFC 8058, rule N6) */
export function stopMailRoutes(
  deps: Pick<Deps, "database" | "log" | "sealer" | "settings">,
  steps: SharedSteps,
): Route[] {
  const stopMail = createStopMail(deps);
  const { links, base, route } = createLinkPages(deps, steps, {
    path: stopPath,
    noSuchLink: (links) => <NoSuchLink links={links} />,
  });
  return [
    // Programs that check mails open links, so a GET does not unsubscribe the person.
    route("GET", async (_ctx, token) =>
      show(<StopMail links={links} appName={await stopMail.read(token)} action={`${base}/${token}`} />),
    ),
    // The request of a mail program has no origin header, so only the token is checked.
    route("POST", async (_ctx, token) =>
      show(<MailStopped links={links} appName={await stopMail.stop(token)} />),
    ),
  ];
}

const StopMail = ({
  links,
  appName,
  action,
}: {
  readonly links: Links;
  readonly appName: string;
  readonly action: string;
}) => (
  <Document links={links} title="Mail about your app">
    <main class="alone" id="main" tabIndex={-1}>
      <form class="card stack" method="post" action={action}>
        <h1>
          Stop mails about <Line text={appName} />?
        </h1>
        <p>You stay a member. In the console you still find everything.</p>
        <div class="actions">
          <button class="primary" type="submit">
            Stop these mails
          </button>
        </div>
      </form>
    </main>
  </Document>
);

const MailStopped = ({ links, appName }: { readonly links: Links; readonly appName: string }) => (
  <Document links={links} title="Mail about your app">
    <main class="alone" id="main" tabIndex={-1}>
      <div class="card stack">
        <h1>
          You will get no mail about <Line text={appName} /> any more
        </h1>
        <p>
          You can turn mail on again under <a href={links.notices()}>Your notices</a>.
        </p>
      </div>
    </main>
  </Document>
);

/** Shows the same page for every kind of wrong link. */
const NoSuchLink = ({ links }: { readonly links: Links }) => (
  <Document links={links} title="This link does not work">
    <main class="alone" id="main" tabIndex={-1}>
      <div class="card stack">
        <h1>This link does not work</h1>
        <p>
          It may be incomplete, or you are no longer a member of that app. You find your notices under{" "}
          <a href={links.notices()}>Your notices</a>.
        </p>
      </div>
    </main>
  </Document>
);
