import type { ApiError } from "../../../src/contract/errors.ts";
import { Files } from "../../console/files.tsx";
import { TextArea } from "../../console/forms.tsx";
import { InTurns } from "../../console/in-turns.tsx";
import { Document } from "../../console/layout.tsx";
import type { Links } from "../../console/links.ts";
import { Notice, Refused } from "../../console/parts.tsx";
import { Line, UserText } from "../../console/text.tsx";
import { Timestamp } from "../../console/times.tsx";
import type { SenderPage, SharedFiles } from "./api.ts";

export interface SenderPageProps {
  readonly links: Links;
  readonly page: SenderPage;
  readonly action: string;
  /** The id of the answer that the form makes. */
  readonly once: string;
  readonly isAnswered: boolean;
  /** What the sender typed, after it was refused. */
  readonly typed: string;
  readonly refusal: ApiError | undefined;
}

const states: Readonly<Record<string, string>> = {
  open: "Received",
  in_progress: "Being worked on",
  resolved: "Resolved",
  archived: "Closed",
};

/** What a sender wrote, the replies to them, and a field to answer. It names nobody and leads nowhere else. (rule M9) */
export const Sender = ({ links, page, action, once, isAnswered, typed, refusal }: SenderPageProps) => (
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
        <form class="card stack" method="post" action={action}>
          <Refused refusal={refusal} />
          <input type="hidden" name="once" value={once} />
          <TextArea
            form={{ value: () => typed, refusal }}
            name="answer"
            label="Your answer"
            hint="Everybody with the address of this page can read it and answer here. Treat the address as a secret."
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

/** One page for every link that does not work, so that it gives no hint. */
export const NoSenderPage = ({ links }: { readonly links: Links }) => (
  <Document links={links} title="This link does not work">
    <main class="alone" id="main" tabIndex={-1}>
      <div class="card stack">
        <h1>This link does not work</h1>
        <p>It may be incomplete, or a newer link has replaced it. Open the link in the newest mail.</p>
      </div>
    </main>
  </Document>
);

/** Asks first: programs that check mails open the links in them. */
export const StopMail = ({
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
          No more mail about releases of <Line text={appName} />?
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

export const MailStopped = ({ links }: { readonly links: Links }) => (
  <Document links={links} title="No more mail">
    <main class="alone" id="main" tabIndex={-1}>
      <div class="card stack">
        <h1>You will get no mail about releases any more</h1>
      </div>
    </main>
  </Document>
);
