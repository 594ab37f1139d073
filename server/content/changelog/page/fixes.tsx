import { apps } from "../../../../src/contract/apps.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import {
  feedbackIdsIn,
  idsInFeedbackLines,
  withFeedbackLine,
  withoutFeedbackLines,
} from "../../../../src/contract/feedback-lines.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { countOf } from "../../../../src/words/count.ts";
import { type Filled, TextField, type Values, versionOf } from "../../../console/forms.tsx";
import type { Links } from "../../../console/links.ts";
import type { NamedThread } from "../../../console/page-reads.ts";
import { Line } from "../../../console/parts.tsx";
import type { SignedInVisit } from "../../../console/visit.ts";
import { StatusBadge } from "../../../feedback/threads/badges.tsx";
import { maskedAddress, typedThreads } from "../named-threads.ts";

/** The threads that a release note names, and who gets a mail about the note. */
export interface Fixes {
  readonly threads: readonly NamedThread[];
  /** The addresses that get a mail when the note is published. Empty for a note that is already published. */
  readonly notified: readonly string[];
}

/** Returns the id of the app in the path. Throws `not_found` if the person is not a member of it. */
const appIdOf = async ({ ask, param }: SignedInVisit): Promise<string> =>
  (await ask(apps.read, { params: { appId: param("appId") } })).id;

/** Returns the values of a note. The threads are in the field `fixes` and no longer in lines of the text. (rule C32) */
export async function withFixes(visit: SignedInVisit, values: Values): Promise<Values> {
  const { body = "" } = values;
  const ids = idsInFeedbackLines(body);
  const threads = await visit.reads.threadsNamed(await appIdOf(visit), { ids, numbers: [] });
  const byId = new Map(threads.map((thread) => [thread.id, thread]));
  return {
    ...values,
    body: withoutFeedbackLines(body),
    fixes: ids.map((id) => nameOf(byId.get(id) ?? { id, number: null })).join(", "),
  };
}

/** Returns the text with which a person names a thread, such as `#12`. */
export const nameOf = ({ id, number }: Pick<NamedThread, "id" | "number">): string =>
  number === null ? id : `#${number}`;

/**
 * Returns the text of a note with the line that names its threads. Throws `bad_request` for a word that does not name a
 * thread of the app. Ids are not checked, because they may have been in the text before. (rule C32)
 */
export async function bodyWithFixes(
  visit: SignedInVisit,
  { body = "", fixes = "" }: Values,
): Promise<string> {
  const { ids, numbers, unknown } = typedThreads(fixes);
  const threads = await visit.reads.threadsNamed(await appIdOf(visit), { ids: [], numbers });
  const byNumber = new Map(threads.map(({ number, id }) => [number, id]));
  const missing = [
    ...unknown.map((word) => `“${word.slice(0, 40)}”`),
    ...numbers.filter((number) => !byNumber.has(number)).map((number) => `#${number}`),
  ];
  if (missing.length > 0)
    throw refused(`has ${missing.slice(0, 5).join(", ")}, which names no thread of this app`);
  const named = [...new Set([...ids, ...numbers.flatMap((number) => byNumber.get(number) ?? [])])];
  if (named.length > limits.changelogFeedback)
    throw refused(`must name at most ${limits.changelogFeedback} threads`);
  const typed = idsInFeedbackLines(body);
  return withFeedbackLine(body, [...new Set([...named, ...typed])]);
}

const refused = (message: string): ApiError =>
  new ApiError("bad_request", { issues: [{ path: "fixes", message }] });

/**
 * Returns the threads that the values of a form name, and the addresses that get a mail. Words that do not name a
 * thread are ignored.
 */
export async function fixesOf(
  visit: SignedInVisit,
  { body = "", items = "", fixes = "" }: Values,
  isOut: boolean,
): Promise<Fixes> {
  const { ids, numbers } = typedThreads(fixes);
  const named = [...new Set([...ids, ...feedbackIdsIn(`${body}\n${items}`)])].slice(
    0,
    limits.changelogFeedback,
  );
  const appId = await appIdOf(visit);
  const threads = await visit.reads.threadsNamed(appId, {
    ids: named,
    numbers: numbers.slice(0, limits.changelogFeedback),
  });
  const notified = isOut
    ? []
    : await visit.reads.addressesToNotify(
        appId,
        threads.map(({ id }) => id),
      );
  return { threads, notified };
}

/**
 * Returns a value that changes with the list of receivers. The form sends the value back, so that the server can refuse
 * to send mail to an address that the person has not seen in the list.
 */
export const notifiedVersion = ({ notified }: Fixes): string =>
  notified.length === 0 ? "" : versionOf(notified);

/** Returns a number of senders as text. */
export const countOfSenders = (count: number): string => countOf(count, "sender");

/**
 * The field that names threads, and the threads that it names. A script shows each thread as a separate element, and
 * lets the person search for threads.
 */
export const FixesField = ({
  form,
  fixes,
  links,
  appId,
}: {
  readonly form: Filled;
  readonly fixes: Fixes;
  readonly links: Links;
  readonly appId: string;
}) => (
  <div class="stack tight" data-picks-threads={links.search} data-app={links.thread(appId, "")}>
    <TextField
      form={form}
      name="fixes"
      label="Fixes threads"
      placeholder="#12, #31"
      autocomplete="off"
      hint="Numbers of threads, separated by commas. The senders of these threads get a mail when the note is published. Apps do not see these numbers."
    />
    <div id="fixed-threads" data-refreshed>
      <input type="hidden" name="notified" value={notifiedVersion(fixes)} />
      <NamedThreads {...{ fixes, links, appId }} removable={typedIn(form, fixes)} />
      <Notified fixes={fixes} />
    </div>
  </div>
);

function typedIn(form: Filled, { threads }: Fixes): ReadonlySet<string> {
  const { ids, numbers } = typedThreads(form.value("fixes"));
  const isTyped = ({ id, number }: NamedThread) =>
    ids.includes(id) || (number !== null && numbers.includes(number));
  return new Set(threads.filter(isTyped).map(({ id }) => id));
}

/** The threads that a release note names. */
export const NamedThreads = ({
  fixes: { threads },
  links,
  appId,
  removable = new Set(),
}: {
  /** The ids of the threads that are named in the field but not in the text. A script can remove these threads. */
  readonly removable?: ReadonlySet<string>;
  readonly fixes: Fixes;
  readonly links: Links;
  readonly appId: string;
}) =>
  threads.length === 0 ? null : (
    <ul class="list close named" aria-label="Threads">
      {threads.map(({ id, number, subject, status }) => (
        <li key={id} class="row spread">
          <span class="clip">
            {number !== null && <span class="number">{`#${number} `}</span>}
            <a href={links.thread(appId, id)}>
              <Line text={subject} />
            </a>
          </span>
          <span class="row">
            <StatusBadge status={status} />
            {removable.has(id) && (
              <button
                class="small plain"
                type="button"
                data-unnames={`${nameOf({ id, number })} ${id}`}
                aria-label={`Remove ${nameOf({ id, number })}`}
                hidden
              >
                ×
              </button>
            )}
          </span>
        </li>
      ))}
    </ul>
  );

const mostShown = 100;

/** Shows who gets a mail when the note is published. */
const Notified = ({ fixes: { notified } }: { readonly fixes: Fixes }) =>
  notified.length === 0 ? null : (
    <details class="reveal">
      <summary>{`${countOfSenders(notified.length)} ${notified.length === 1 ? "gets" : "get"} a mail`}</summary>
      <p class="muted small">
        When the note is published, each of them gets one mail. These are senders who have answered and have
        not unsubscribed.
      </p>
      <ul class="receivers small">
        {notified.slice(0, mostShown).map((address) => (
          <li key={address}>
            <Line text={maskedAddress(address)} />
          </li>
        ))}
        {notified.length > mostShown && <li>{`and ${notified.length - mostShown} more`}</li>}
      </ul>
    </details>
  );
