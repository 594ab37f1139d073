import type { ConsoleSession } from "../../../src/contract/console-sessions.ts";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { InTurns } from "../../console/in-turns.tsx";
import { LastUse } from "../../console/last-use.tsx";
import type { Links } from "../../console/links.ts";
import { Ago, Timestamp } from "../../console/timestamp.tsx";

export interface SessionsProps {
  readonly sessions: readonly ConsoleSession[];
  readonly links: Links;
  readonly now: Date;
}

/** The browsers in which a person is signed in. */
export const Sessions = ({ sessions, links, now }: SessionsProps) => (
  <section class="stack" aria-labelledby="browsers">
    <div>
      <h2 id="browsers">Browsers</h2>
      <p class="muted small">
        Each of them has full access to your account. End those that you do not know, then change your
        password.
      </p>
    </div>
    <ul class="list">
      <InTurns>
        {sessions.map((session) => (
          <SessionLine key={session.id} session={session} now={now} action={links.endSession(session.id)} />
        ))}
      </InTurns>
    </ul>
    {sessions.length > 1 && (
      <form method="post" action={links.endOtherSessions}>
        <IdempotencyField />
        <button class="danger" type="submit">
          End all other sessions
        </button>
      </form>
    )}
  </section>
);

interface SessionLineProps {
  readonly session: ConsoleSession;
  readonly now: Date;
  readonly action: string;
}

const SessionLine = ({ session, now, action }: SessionLineProps) => (
  <li>
    <div class="row spread">
      <b>{session.browser ?? "An unknown browser"}</b>
      {session.current ? (
        <span class="badge">This browser</span>
      ) : (
        <form method="post" action={action}>
          <IdempotencyField />
          <button class="danger small" type="submit">
            End session
          </button>
        </form>
      )}
    </div>
    <p class="under">
      <span>
        signed in <Ago at={session.createdAt} now={now} />
      </span>
      <LastUse at={session.lastUsedAt} now={now} />
      <span>
        until <Timestamp at={session.expiresAt} />
      </span>
    </p>
  </li>
);
