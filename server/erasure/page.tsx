import type { ComponentChildren } from "preact";
import { type Erasure, type Preview, people } from "../../src/contract/people.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../console/definitions.ts";
import {
  type Filled,
  filledAgain,
  filledWith,
  HiddenFields,
  IdempotencyField,
  TextField,
} from "../console/forms.tsx";
import { ConsolePage, type Navigation, navigationOf } from "../console/layout.tsx";
import type { Links } from "../console/links.ts";
import { Line, Notice, Refused } from "../console/parts.tsx";
import { goTo, InTurns, type Reply, reshowForm, show } from "../console/respond.tsx";
import { Ago, Timestamp } from "../console/times.tsx";

/** Shows the result without a redirect, because a redirect would put the person's e-mail address into a URL. */
function findPerson(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  const email = fields.text("email").trim();
  return reshowForm(
    async () =>
      showPeople(visit, { found: { email, preview: await ask(people.preview, { body: { email } }) } }),
    (refusal) => showPeople(visit, { form: filledAgain(fields, refusal) }),
  );
}

function erasePerson(visit: SignedInVisit): Promise<Reply<"erasure-begun">> {
  const { ask, fields, links } = visit;
  return reshowForm(
    async () => {
      const body = { email: fields.text("email") };
      const { id } = await ask(people.erase, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.receipt(id), "erasure-begun");
    },
    (refusal) => showPeople(visit, { form: filledAgain(fields, refusal) }),
  );
}

function checkReceipt(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  return reshowForm(
    async () => {
      const params = { erasureId: param("erasureId") };
      const { matches } = await ask(people.check, { params, body: { email: fields.text("email") } });
      return showReceipt(visit, { matches });
    },
    (refusal) => showReceipt(visit, { form: filledAgain(fields, refusal) }),
  );
}

/** The result of the form that was sent last. */
interface ReceiptForms {
  readonly form?: Filled;
  /** Whether the receipt is about the person with the typed e-mail address. */
  readonly matches?: boolean;
}

async function showReceipt(visit: SignedInVisit, { form, matches }: ReceiptForms = {}): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const { links } = navigation;
  const receipt = await visit.ask(people.read, { params: { erasureId: visit.param("erasureId") } });
  const { id, status, by, counts, createdAt, finishedAt, personHash } = receipt;
  return show(
    <ConsolePage navigation={navigation} title="Receipt" address={links.receipt(id)} narrow>
      <div class="head">
        <div>
          <h1>Receipt of an erasure</h1>
          <p>
            <a href={links.people}>All receipts</a>
          </p>
        </div>
      </div>
      <div class="stack wide">
        {status === "running" && (
          <Notice kind="attention">The erasure is in progress. Reload this page to see the result.</Notice>
        )}
        <section class="card stack" aria-label="Receipt">
          <dl class="pairs">
            <Pair name="Receipt">
              <code>{id}</code>
            </Pair>
            <Pair name="State">{statusWords[status]}</Pair>
            <Pair name="Requested by">{by}</Pair>
            <Pair name="Requested at">
              <Timestamp at={createdAt} />
            </Pair>
            <Pair name="Finished at">{finishedAt === null ? "not yet" : <Timestamp at={finishedAt} />}</Pair>
            <Pair name="Keyed hash of the address" long>
              <code>{personHash}</code>
            </Pair>
            <Pair name="Backups may contain the person">
              <BackupsUntil receipt={receipt} />
            </Pair>
          </dl>
          <h2>What was erased</h2>
          <PersonCounts counts={counts} />
        </section>
        <form class="card stack" method="post" action={links.checkReceipt(id)}>
          <h2>Does this receipt belong to an address?</h2>
          <Refused refusal={form?.refusal} />
          {matches !== undefined && (
            <Notice done={matches ? "matches" : "differs"}>
              {matches
                ? "Yes. This receipt belongs to that address."
                : "No. This receipt belongs to another address."}
            </Notice>
          )}
          <TextField
            form={form ?? filledWith()}
            name="email"
            unkept
            label="E-mail address"
            type="email"
            autocomplete="off"
            required
          />
          <div class="actions">
            <button type="submit">Compare</button>
          </div>
        </form>
      </div>
    </ConsolePage>,
    form?.refusal?.status,
  );
}

const BackupsUntil = ({ receipt: { finishedAt, backupsUntil } }: { readonly receipt: Erasure }) => {
  if (finishedAt === null) return <>known only when the erasure is done</>;
  if (backupsUntil === null) return <>until they are deleted; no time is set on this server</>;
  return (
    <>
      until <Timestamp at={backupsUntil} />
    </>
  );
};

const Pair = ({
  name,
  long = false,
  children,
}: {
  readonly name: string;
  /** Whether the value is on a separate line below its name, because it is long. */
  readonly long?: boolean;
  readonly children: ComponentChildren;
}) => (
  <div class={long ? "long" : undefined}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** The result of the form that was sent last. */
interface PeopleForms {
  readonly form?: Filled;
  /** The address that was searched for, and the data that was found. */
  readonly found?: { readonly email: string; readonly preview: Preview };
}

async function showPeople(visit: SignedInVisit, forms: PeopleForms = {}): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const { items } = await visit.ask(people.list);
  const parts = { navigation, forms, receipts: items, now: visit.now };
  return show(<People {...parts} />, forms.form?.refusal?.status);
}

const People = ({
  navigation,
  forms: { form, found },
  receipts,
  now,
}: {
  readonly navigation: Navigation;
  readonly forms: PeopleForms;
  readonly receipts: readonly Erasure[];
  readonly now: Date;
}) => (
  <ConsolePage navigation={navigation} title="Erase a person" address={navigation.links.people} narrow>
    <div class="head">
      <div>
        <h1>Erase a person</h1>
        <p>
          If a person asks you to delete their data, use this page. It finds an e-mail address in all apps
          that you own, and deletes or empties all data that belongs to the address.
        </p>
      </div>
    </div>
    <div class="stack wide">
      {found ? (
        <Found {...found} links={navigation.links} />
      ) : (
        <LookUp form={form} links={navigation.links} />
      )}
      <Receipts receipts={receipts} links={navigation.links} now={now} />
    </div>
  </ConsolePage>
);

const LookUp = ({ form, links }: { readonly form: Filled | undefined; readonly links: Links }) => (
  <form class="card stack" method="post" action={links.findPerson}>
    <Refused refusal={form?.refusal} />
    <TextField
      form={form ?? filledWith()}
      name="email"
      unkept
      label="E-mail address"
      type="email"
      autocomplete="off"
      required
    />
    <div class="actions">
      <button class="primary" type="submit">
        Show the data
      </button>
    </div>
  </form>
);

const Found = ({
  email,
  preview: { counts, complete, refusal },
  links,
}: {
  readonly email: string;
  readonly preview: Preview;
  readonly links: Links;
}) => (
  <section class="card stack" aria-labelledby="found">
    <h2 id="found">
      Data about <Line text={email} />
    </h2>
    <PersonCounts counts={counts} />
    {!complete && (
      <p>
        This server has a lot of data, so there may be more than this page shows. Of the data that the person
        sent and received, the page counts at most 1,000 entries of each kind. The search covered only a part
        of the texts of other people. An erasure searches all data.
      </p>
    )}
    <p class="muted small">
      The search does not find the person in pictures and in files that other people sent. It also does not
      find the person's name in texts of other people.
    </p>
    {refusal !== null ? (
      <Notice kind="attention">{refusal}</Notice>
    ) : (
      <form class="stack" method="post" action={links.erasePerson}>
        <HiddenFields values={[["email", email]]} />
        <IdempotencyField />
        <p>This cannot be undone. The server keeps a receipt that does not contain the address.</p>
        <div class="actions">
          <button class="danger" type="submit">
            Erase permanently
          </button>
        </div>
      </form>
    )}
    <p>
      <a href={links.people}>Another address</a>
    </p>
  </section>
);

const Receipts = ({
  receipts,
  links,
  now,
}: {
  readonly receipts: readonly Erasure[];
  readonly links: Links;
  readonly now: Date;
}) => (
  <section class="stack" aria-labelledby="receipts">
    <h2 id="receipts">Receipts</h2>
    {receipts.length === 0 ? (
      <p>None yet.</p>
    ) : (
      <ul class="list">
        <InTurns>
          {receipts.map(({ id, status, createdAt }) => (
            <li key={id}>
              <a href={links.receipt(id)}>Receipt {id.slice(-12)}</a>
              <p class="under">
                <span>{statusWords[status]}</span>
                <span>
                  requested <Ago at={createdAt} now={now} />
                </span>
              </p>
            </li>
          ))}
        </InTurns>
      </ul>
    )}
  </section>
);

const statusWords: Readonly<Record<Erasure["status"], string>> = {
  running: "in progress",
  done: "done",
  stopped: "stopped before the end. Request the erasure again",
};

type Counts = Partial<Erasure["counts"]> & Preview["counts"];

const countWords: readonly (readonly [keyof Erasure["counts"], string])[] = [
  ["threads", "Threads of the person"],
  [
    "reports",
    "Reports whose content is erased. Their threads stay, because other people reported the same problem",
  ],
  ["messages", "Repeated reports and answers in other threads"],
  ["files", "Files"],
  ["mails", "Mails with the address, and stored data about the address"],
  ["invitations", "Invitations"],
  ["seats", "Slots in tests that are over"],
  ["answers", "Stored answers to requests"],
  ["audit", "Entries of the audit log"],
  ["texts", "Texts by other people that contain the address"],
];

const PersonCounts = ({ counts }: { readonly counts: Counts }) => (
  <dl class="pairs">
    {countWords
      .filter(([name]) => counts[name] !== undefined)
      .map(([name, label]) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd>{String(counts[name])}</dd>
        </div>
      ))}
  </dl>
);

const peoplePage = definePage({
  at: (links) => links.people,
  needs: "account",
  show: showPeople,
});

const receiptPage = definePage({
  at: (links) => links.receipt(":erasureId"),
  needs: "account",
  show: showReceipt,
});

export const definitions: Definitions = [
  peoplePage,
  receiptPage,
  defineForm({
    at: (links) => links.findPerson,
    page: peoplePage,
    act: findPerson,
    done: {},
    word: "findPerson",
    notDone: "The search was not done.",
  }),
  defineForm({
    at: (links) => links.erasePerson,
    page: peoplePage,
    act: erasePerson,
    done: { "erasure-begun": "The erasure has begun. It continues in the background." },
    word: "erasePerson",
    notDone: "The person was not erased.",
  }),
  defineForm({
    at: (links) => links.checkReceipt(":erasureId"),
    page: receiptPage,
    act: checkReceipt,
    done: {},
    word: "checkReceipt",
    notDone: "The receipt was not checked.",
  }),
];
