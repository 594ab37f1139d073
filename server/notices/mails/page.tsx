import type { Context } from "koa";
import { answerWithErrorPage, showErrorPage } from "../../console/error-page.tsx";
import { Document } from "../../console/layout.tsx";
import { consolePathOf, createLinks, type Links } from "../../console/links.ts";
import { Line } from "../../console/parts.tsx";
import { createRespond, type Reply, show } from "../../console/respond.ts";
import type { Deps } from "../../deps.ts";
import { answerErrors } from "../../http/errors.ts";
import type { Route, SharedSteps } from "../../http/request-steps.ts";
import { createStopMail } from "./api.ts";
import { stopPath } from "./stop-links.ts";

/**
 * The routes of the page on which a person ends mail about an app without a sign-in. Only a POST ends it, because
 * programs that check mails open the links in them. The one-click request of a mail program has no origin header, so the
 * token is the only check. (RFC 8058, rule N6)
 */
export function stopMailRoutes(
  deps: Pick<Deps, "database" | "log" | "sealer" | "settings">,
  steps: SharedSteps,
): Route[] {
  const { settings } = deps;
  const stopMail = createStopMail(deps);
  const respond = createRespond(settings, steps);
  const links = createLinks(consolePathOf(settings).href);
  const base = new URL(settings.baseUrl).pathname.replace(/\/$/, "") + stopPath;
  const orErrorPage = answerErrors(
    deps,
    answerWithErrorPage({ settings, steps }, (ctx, error) =>
      error.code === "not_found"
        ? show(<NoSuchLink links={links} />, 404)
        : showErrorPage(links, error, { requestId: String(ctx.state.requestId), typed: [] }),
    ),
  );
  const route = (method: "GET" | "POST", handler: (token: string) => Promise<Reply>): Route => ({
    method,
    path: `${stopPath}/:token`,
    answer: (ctx: Context, { token = "" }) =>
      orErrorPage(ctx, async () => {
        ctx.set("X-Robots-Tag", "noindex, nofollow");
        await respond(ctx, await handler(token));
      }),
  });
  return [
    route("GET", async (token) =>
      show(<StopMail links={links} appName={await stopMail.read(token)} action={`${base}/${token}`} />),
    ),
    route("POST", async (token) => show(<MailStopped links={links} appName={await stopMail.stop(token)} />)),
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
  <Document links={links} title="No more mail">
    <main class="alone" id="main" tabIndex={-1}>
      <form class="card stack" method="post" action={action}>
        <h1>
          No more mail about <Line text={appName} />?
        </h1>
        <p>You stay a member. You find everything in the console.</p>
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
  <Document links={links} title="No more mail">
    <main class="alone" id="main" tabIndex={-1}>
      <div class="card stack">
        <h1>
          You will get no more mail about <Line text={appName} />
        </h1>
        <p>
          You turn it on again under <a href={links.notices()}>Your notices</a>.
        </p>
      </div>
    </main>
  </Document>
);

/** The page for every kind of wrong link. It is always the same, so it does not show what is wrong. */
const NoSuchLink = ({ links }: { readonly links: Links }) => (
  <Document links={links} title="This link does not work">
    <main class="alone" id="main" tabIndex={-1}>
      <div class="card stack">
        <h1>This link does not work</h1>
        <p>
          It may be incomplete, or you are no member of that app any more. What you get stands under{" "}
          <a href={links.notices()}>Your notices</a>.
        </p>
      </div>
    </main>
  </Document>
);
