import { type Erasure, type Preview, people } from "../../src/contract/people.ts";
import { filledWith } from "../console/filled-form.ts";
import { type Filled, TextField } from "../console/forms.tsx";
import { HiddenFields } from "../console/hidden-fields.tsx";
import { IdempotencyField } from "../console/idempotency-field.tsx";
import { InTurns } from "../console/in-turns.tsx";
import { ConsolePage } from "../console/layout.tsx";
import type { Links } from "../console/links.ts";
import { type Navigation, navigationOf } from "../console/navigation.ts";
import { Notice, Refused } from "../console/parts.tsx";
import { type Reply, show } from "../console/reply.ts";
import { Line } from "../console/text.tsx";
import { Ago } from "../console/timestamp.tsx";
import type { SignedInVisit } from "../console/visit.ts";
import { PersonCounts } from "./counts.tsx";

/** What a form of the page led to. */
export interface PeopleForms {
  readonly form?: Filled;
  /** What was found of a person. The address is in no address of a page. */
  readonly found?: { readonly email: string; readonly preview: Preview };
}

export const peoplePage = (visit: SignedInVisit): Promise<Reply> => showPeople(visit);

export async function showPeople(visit: SignedInVisit, forms: PeopleForms = {}): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const { items } = await visit.ask(people.list);
  const parts = { navigation, forms, receipts: items, now: visit.now };
  return show(<People {...parts} />, forms.form?.refusal?.status);
}

interface PeopleProps {
  readonly navigation: Navigation;
  readonly forms: PeopleForms;
  readonly receipts: readonly Erasure[];
  readonly now: Date;
}

const People = ({ navigation, forms: { form, found }, receipts, now }: PeopleProps) => (
  <ConsolePage navigation={navigation} title="Erase a person" address={navigation.links.people} narrow>
    <div class="head">
      <div>
        <h1>Erase a person</h1>
        <p>
          A person asks you to delete their data. This page finds an e-mail address in all apps that you own,
          and deletes or blanks what belongs to it.
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

interface FoundProps {
  readonly email: string;
  readonly preview: Preview;
  readonly links: Links;
}

const Found = ({ email, preview: { counts, complete, refusal }, links }: FoundProps) => (
  <section class="card stack" aria-labelledby="found">
    <h2 id="found">
      Data about <Line text={email} />
    </h2>
    <PersonCounts counts={counts} />
    {!complete && (
      <p>
        There is a lot to search, so there may be more than this. What the person sent and got is counted, at
        most 1,000 of each kind. The texts of others were searched only in part. Erasing searches everything.
      </p>
    )}
    <p class="muted small">
      Names in the words of others, pictures, and files that others sent are not searched.
    </p>
    {refusal !== null ? (
      <Notice kind="attention">{refusal}</Notice>
    ) : (
      <form class="stack" method="post" action={links.erasePerson}>
        <HiddenFields values={[["email", email]]} />
        <IdempotencyField />
        <p>This cannot be undone. A receipt stays, which does not have the address.</p>
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

interface ReceiptsProps {
  readonly receipts: readonly Erasure[];
  readonly links: Links;
  readonly now: Date;
}

const Receipts = ({ receipts, links, now }: ReceiptsProps) => (
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
                  asked for <Ago at={createdAt} now={now} />
                </span>
              </p>
            </li>
          ))}
        </InTurns>
      </ul>
    )}
  </section>
);

export const statusWords: Readonly<Record<Erasure["status"], string>> = {
  running: "in progress",
  done: "done",
  stopped: "stopped: ask for it again",
};
