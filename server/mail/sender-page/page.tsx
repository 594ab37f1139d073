import type { Context } from "koa";
import type { ApiError } from "../../../src/contract/errors.ts";
import { Files } from "../../console/files.tsx";
import { readForm, TextArea } from "../../console/forms.tsx";
import { Document } from "../../console/layout.tsx";
import { createLinkPages } from "../../console/link-pages.tsx";
import type { Links } from "../../console/links.ts";
import { Line, Notice, Refused, UserText } from "../../console/parts.tsx";
import { goTo, InTurns, type Reply, refuseForeignForm, reshowForm, show } from "../../console/respond.tsx";
import { Timestamp } from "../../console/times.tsx";
import type { Deps } from "../../deps.ts";
import type { Route, SharedSteps } from "../../http/pipeline.ts";
import { senderOf } from "../../http/rate-limits/rate-limits.ts";
import { createSenderPages, type SenderPage, type SenderPages, type SharedFiles } from "./api.ts";
import { statusPath } from "./links.ts";

/** Returns the routes of the page on which a sender reads replies and writes answers. (rules M8, M9, M11) */
export function senderPageRoutes(
  deps: Pick<Deps, "clock" | "database" | "log" | "newId" | "sealer" | "settings">,
  steps: SharedSteps,
): Route[] {
  const { settings } = deps;
  const pages = createSenderPages(deps);
  const { links, base, route } = createLinkPages(deps, steps, {
    path: statusPath,
    noSuchLink: (links) => <NoSenderPage links={links} />,
  });

  const showPage = async (ctx: Context, token: string, typed = "", refusal?: ApiError): Promise<Reply> => {
    const page = await pages.read(token);
    const isAnswered = new URLSearchParams(ctx.querystring).has("done");
    const form = {
      action: `${base}/${token}`,
      once: deps.newId(),
      typed,
      refusal,
    };
    return show(<Sender {...{ links, page, isAnswered }} {...form} />, refusal?.status);
  };

  const answer = async (ctx: Context, token: string): Promise<Reply<"answered">> => {
    refuseForeignForm(steps.readCredentials(ctx, true), settings);
    const sending = { arrivals: steps.arrivals, sender: senderOf(undefined, steps.addressOf(ctx.req)) };
    const fields = await readForm(ctx.req, sending);
    const typed = fields.text("answer");
    return reshowForm(
      async () => {
        await pages.answer(token, typed, fields.text("once"));
        return goTo(`${base}/${token}`, "answered");
      },
      (refusal) => showPage(ctx, token, typed, refusal),
    );
  };

  const stop = createStopPages(pages, links, base);

  return [
    route("GET", (ctx, token) => showPage(ctx, token)),
    route("POST", answer),
    route("GET", stop.ask, "/stop"),
    route("POST", stop.stop, "/stop"),
  ];
}

/** Creates the handlers of the pages on which a sender can stop mails about releases. */
const createStopPages = (pages: SenderPages, links: Links, base: string) => ({
  ask: async (_ctx: Context, token: string): Promise<Reply> => {
    const appName = await pages.readStop(token);
    return show(<StopMail links={links} appName={appName} action={`${base}/${token}/stop`} />);
  },

  /**
   * Stops mails about releases. Checks only the token, because the one-click request has no origin header.
   * (RFC 8058)
   */
  stop: async (_ctx: Context, token: string): Promise<Reply> => {
    await pages.stopMail(token);
    return show(<MailStopped links={links} />);
  },
});

const states: Readonly<Record<string, string>> = {
  open: "Received",
  in_progress: "Being worked on",
  resolved: "Resolved",
  archived: "Closed",
};

/** Whether the sender wrote the last message. */
const hasAnswered = ({ messages }: SenderPage): boolean => messages.at(-1)?.direction === "inbound";

/**
 * Shows the report, the messages and a form. Shows no names of members and no links to other pages. (rule M9)
 */
const Sender = ({
  links,
  page,
  action,
  once,
  isAnswered,
  typed,
  refusal,
}: {
  readonly links: Links;
  readonly page: SenderPage;
  readonly action: string;
  /** Identifies the answer of this form. A form that is sent twice adds one answer. */
  readonly once: string;
  readonly isAnswered: boolean;
  /** The text that was typed in a refused form. */
  readonly typed: string;
  readonly refusal: ApiError | undefined;
}) => (
  <Document links={links} title={`Your message to ${page.appName}`}>
    <main class="middle narrow stack" id="main" tabIndex={-1}>
      <h1>
        Your message to <Line text={page.appName} />
      </h1>
      <p>
        State: <b>{states[page.status] ?? page.status}</b>
      </p>
      {isAnswered && <Notice>Your answer has arrived.</Notice>}
      <section class="stack" aria-label="Conversation">
        <Message
          name="You wrote"
          direction="inbound"
          body={page.message}
          createdAt={page.createdAt}
          files={page.files}
        />
        <InTurns>
          {page.messages.map(({ id, direction, ...message }) => (
            <Message
              key={id}
              name={direction === "inbound" ? "You answered" : "Reply"}
              direction={direction}
              {...message}
            />
          ))}
        </InTurns>
      </section>
      {page.open && (
        // After an answer, the browser's back button must not fill the field with the old text.
        <form
          class="card stack"
          method="post"
          action={action}
          autocomplete={hasAnswered(page) ? "off" : "on"}
        >
          <Refused refusal={refusal} />
          <input type="hidden" name="once" value={once} />
          <TextArea
            form={{ value: () => typed, refusal }}
            name="answer"
            label="Your answer"
            hint="Everybody who has the address of this page can read it and answer here. Keep the address secret."
            required
          />
          <div class="actions">
            <button class="primary" type="submit">
              Send
            </button>
          </div>
        </form>
      )}
    </main>
  </Document>
);

const Message = ({
  name,
  direction,
  body,
  createdAt,
  files,
}: {
  readonly name: string;
  readonly direction: string;
  readonly body: string;
  readonly createdAt: string;
  readonly files: SharedFiles | undefined;
}) => (
  <article class={`message ${direction}`}>
    <header>
      <b>{name}</b>
      <Timestamp at={createdAt} />
    </header>
    <div class="inside">
      <UserText text={body} />
      {files && <Files of={files} />}
    </div>
  </article>
);

/** Shows the same page for every kind of wrong link. */
const NoSenderPage = ({ links }: { readonly links: Links }) => (
  <Document links={links} title="This link does not work">
    <main class="alone" id="main" tabIndex={-1}>
      <div class="card stack">
        <h1>This link does not work</h1>
        <p>
          The link may be incomplete, a newer link may have replaced it, or the app may no longer offer this
          page. If you have a newer mail, try the link in that mail.
        </p>
      </div>
    </main>
  </Document>
);

/** Asks before it stops mails about releases, because some programs open all links in a mail. */
const StopMail = ({
  links,
  appName,
  action,
}: {
  readonly links: Links;
  readonly appName: string;
  readonly action: string;
}) => (
  <Document links={links} title="Mail about releases">
    <main class="alone" id="main" tabIndex={-1}>
      <form class="card stack" method="post" action={action}>
        <h1>
          Stop mails about releases of <Line text={appName} />?
        </h1>
        <p>You will still get replies that a person writes to you.</p>
        <div class="actions">
          <button class="primary" type="submit">
            Stop these mails
          </button>
        </div>
      </form>
    </main>
  </Document>
);

const MailStopped = ({ links }: { readonly links: Links }) => (
  <Document links={links} title="Mail about releases">
    <main class="alone" id="main" tabIndex={-1}>
      <div class="card stack">
        <h1>You will get no mail about releases any more</h1>
      </div>
    </main>
  </Document>
);
