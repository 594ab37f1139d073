import type { ComponentChildren } from "preact";
import { type Erasure, people } from "../../src/contract/people.ts";
import { filledWith } from "../console/filled-form.ts";
import { type Filled, TextField } from "../console/forms.tsx";
import { ConsolePage } from "../console/layout.tsx";
import { navigationOf } from "../console/navigation.ts";
import { Notice, Refused } from "../console/parts.tsx";
import { type Reply, show } from "../console/reply.ts";
import { Timestamp } from "../console/timestamp.tsx";
import type { SignedInVisit } from "../console/visit.ts";
import { PersonCounts } from "./counts.tsx";
import { statusWords } from "./page.tsx";

/** What the form of the page led to. */
export interface ReceiptForms {
  readonly form?: Filled;
  /** Whether the receipt is of the address that was typed. */
  readonly matches?: boolean;
}

export const receiptPage = (visit: SignedInVisit): Promise<Reply> => showReceipt(visit);

export async function showReceipt(
  visit: SignedInVisit,
  { form, matches }: ReceiptForms = {},
): Promise<Reply> {
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
          <Notice kind="attention">The erasure is in progress. Load this page again to see the end.</Notice>
        )}
        <section class="card stack" aria-label="Receipt">
          <dl class="pairs">
            <Pair name="Receipt">
              <code>{id}</code>
            </Pair>
            <Pair name="State">{statusWords[status]}</Pair>
            <Pair name="Asked for by">{by}</Pair>
            <Pair name="Asked for">
              <Timestamp at={createdAt} />
            </Pair>
            <Pair name="Done">{finishedAt === null ? "not yet" : <Timestamp at={finishedAt} />}</Pair>
            <Pair name="Keyed hash of the address" long>
              <code>{personHash}</code>
            </Pair>
            <Pair name="Older backups hold the person">
              <BackupsUntil receipt={receipt} />
            </Pair>
          </dl>
          <h2>What was erased</h2>
          <PersonCounts counts={counts} />
        </section>
        <form class="card stack" method="post" action={links.checkReceipt(id)}>
          <h2>Is this receipt of an address?</h2>
          <Refused refusal={form?.refusal} />
          {matches !== undefined && (
            <Notice done={matches ? "matches" : "differs"}>
              {matches ? "Yes. This receipt is of that address." : "No. This receipt is of another address."}
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
  if (finishedAt === null) return <>not known before it is done</>;
  if (backupsUntil === null) return <>until they are deleted: this server does not know when</>;
  return (
    <>
      until <Timestamp at={backupsUntil} />
    </>
  );
};

interface PairProps {
  readonly name: string;
  /** Shown below its name, because it needs the whole line. */
  readonly long?: boolean;
  readonly children: ComponentChildren;
}

const Pair = ({ name, long = false, children }: PairProps) => (
  <div class={long ? "long" : undefined}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
