import { type AutomaticMail, incomingMails } from "../../../src/contract/correspondence.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../../console/definitions.ts";
import { IdempotencyField } from "../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage } from "../../console/layout.tsx";
import { Empty, Line, Refused, UserText } from "../../console/parts.tsx";
import { goTo, InTurns, type Reply, show } from "../../console/respond.tsx";
import { Ago, Timestamp } from "../../console/times.tsx";

async function takeMail(visit: SignedInVisit): Promise<Reply<"mail-taken">> {
  const { ask, fields, links, param } = visit;
  const params = { mailId: param("mailId") };
  try {
    const taken = await ask(incomingMails.take, {
      params,
      body: {},
      idempotencyKey: fields.idempotencyKey,
    });
    return goTo(`${links.thread(param("appId"), taken.threadId)}`, "mail-taken");
  } catch (error) {
    if (error instanceof ApiError && error.code === "wrong_state") return showAutomaticMails(visit, error);
    throw error;
  }
}

async function showAutomaticMails(visit: SignedInVisit, refusal?: ApiError): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "inbox");
  const { items } = await visit.ask(incomingMails.listAutomatic, { params: { appId: navigation.app.id } });
  return show(<AutomaticMails {...{ navigation, items, refusal }} now={visit.now} />, refusal?.status);
}

const AutomaticMails = ({
  navigation,
  items,
  refusal,
  now,
}: {
  readonly navigation: AppNavigation;
  readonly items: readonly AutomaticMail[];
  readonly refusal: ApiError | undefined;
  readonly now: Date;
}) => (
  <ConsolePage navigation={navigation} title="Mail from programs" narrow>
    <div class="head">
      <div>
        <h1>Mail from programs</h1>
        <p>
          This page lists answers by mail that a program wrote, such as “I am on holiday”. They are not added
          to threads, and they are deleted after 30 days.
        </p>
      </div>
    </div>
    <div class="stack wide">
      <Refused refusal={refusal} />
      {items.length === 0 ? (
        <Empty title="No mail from programs">
          <p>Answers that a person wrote are added to their threads.</p>
        </Empty>
      ) : (
        <ul class="list">
          <InTurns>
            {items.map((item) => (
              <MailLine key={item.id} item={item} navigation={navigation} now={now} />
            ))}
          </InTurns>
        </ul>
      )}
    </div>
  </ConsolePage>
);

const reasons: ReadonlyMap<string, string> = new Map([
  ["auto_submitted", "it has the header Auto-Submitted"],
  ["precedence", "it has the header Precedence: bulk, list or junk"],
  ["no_sender", "it has no sender"],
]);

const MailLine = ({
  item,
  navigation: { app, links },
  now,
}: {
  readonly item: AutomaticMail;
  readonly navigation: AppNavigation;
  readonly now: Date;
}) => (
  <li class="stack tight">
    <b>
      <Line text={item.subject || "(no subject)"} />
    </b>
    <UserText text={item.text || "(A mail without text)"} />
    <p class="under">
      <span>
        <Line text={item.from || "no sender"} />
      </span>
      <Ago at={item.createdAt} now={now} />
      <span>
        not added to its thread, because{" "}
        {reasons.get(item.reason) ?? "its headers say that a program wrote it"}
      </span>
      <span>
        will be deleted <Timestamp at={item.keptUntil} />
      </span>
    </p>
    <form class="row" method="post" action={links.automaticMails(app.id, `${item.id}/take`)}>
      <IdempotencyField />
      <button class="small" type="submit">
        A person wrote this
      </button>
      <a href={links.thread(app.id, item.threadId)}>Thread</a>
      <a href={links.original(item.id)} download>
        Original
      </a>
    </form>
  </li>
);

const automaticMailsPage = definePage({
  at: (links) => links.automaticMails(":appId"),
  needs: "maintainer",
  show: showAutomaticMails,
});

export const definitions: Definitions = [
  automaticMailsPage,
  defineForm({
    at: (links) => links.automaticMails(":appId", ":mailId/take"),
    page: automaticMailsPage,
    act: takeMail,
    done: { "mail-taken": "The mail is a message of this thread now." },
    word: "takeMail",
    notDone: "The mail was not added to its thread.",
  }),
];
