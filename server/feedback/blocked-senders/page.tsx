import {
  type BlockedSender,
  blockedSenders,
  type HiddenFeedback,
} from "../../../src/contract/correspondence.ts";
import type { ApiError } from "../../../src/contract/errors.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../../console/definitions.ts";
import { Confirmation, IdempotencyField } from "../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage } from "../../console/layout.tsx";
import { Empty, Line, Person, Refused, UserText } from "../../console/parts.tsx";
import { goTo, InTurns, type Reply, show } from "../../console/respond.tsx";
import { Ago } from "../../console/times.tsx";

async function showBlocked(visit: SignedInVisit, refusal?: ApiError): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "inbox");
  const params = { appId: navigation.app.id };
  const [{ items: senders }, { items: hidden }] = await Promise.all([
    visit.ask(blockedSenders.list, { params }),
    visit.ask(blockedSenders.listHidden, { params }),
  ]);
  return show(<Blocked {...{ navigation, senders, hidden, refusal }} now={visit.now} />, refusal?.status);
}

const Blocked = ({
  navigation,
  senders,
  hidden,
  refusal,
  now,
}: {
  readonly navigation: AppNavigation;
  readonly senders: readonly BlockedSender[];
  readonly hidden: readonly HiddenFeedback[];
  readonly refusal: ApiError | undefined;
  readonly now: Date;
}) => {
  const { app, links } = navigation;
  return (
    <ConsolePage navigation={navigation} title="Blocked senders" narrow>
      <div class="head">
        <div>
          <h1>Blocked senders</h1>
          <p>
            Feedback of these senders does not appear in the inbox. It is kept on this page for 30 days. The
            senders do not notice this. To block a sender, open one of their threads.
          </p>
        </div>
      </div>
      <div class="stack wide">
        <Refused refusal={refusal} />
        {senders.length === 0 ? (
          <Empty title="Nobody is blocked">
            <p>If a sender only sends spam, open one of their threads. There you can block the sender.</p>
          </Empty>
        ) : (
          <ul class="list">
            <InTurns>
              {senders.map((sender) => (
                <SenderLine
                  key={sender.id}
                  sender={sender}
                  action={links.blocked(app.id, `${sender.id}/unblock`)}
                  now={now}
                />
              ))}
            </InTurns>
          </ul>
        )}
        {hidden.length > 0 && (
          <section class="stack" aria-labelledby="hidden">
            <h2 id="hidden">Hidden feedback</h2>
            <ul class="list">
              <InTurns>
                {hidden.map((item) => (
                  <HiddenLine
                    key={item.id}
                    item={item}
                    action={links.blocked(app.id, `feedback/${item.id}/release`)}
                    now={now}
                  />
                ))}
              </InTurns>
            </ul>
          </section>
        )}
      </div>
    </ConsolePage>
  );
};

const SenderLine = ({
  sender: { kind, sender, blockedBy, createdAt },
  action,
  now,
}: {
  readonly sender: BlockedSender;
  readonly action: string;
  readonly now: Date;
}) => (
  <li>
    <b>
      {kind === "domain" && "All addresses of "}
      <Line text={sender} />
    </b>
    <p class="under">
      <span>
        blocked <Ago at={createdAt} now={now} />
        {blockedBy !== null && (
          <>
            {" by "}
            <Person email={blockedBy} />
          </>
        )}
      </span>
    </p>
    <Confirmation offer="Unblock" action={action} button="Unblock, and show the hidden feedback">
      All hidden feedback of this sender from the last 30 days will appear in the inbox.
    </Confirmation>
  </li>
);

const HiddenLine = ({
  item,
  action,
  now,
}: {
  readonly item: HiddenFeedback;
  readonly action: string;
  readonly now: Date;
}) => (
  <li class="stack tight">
    <UserText text={item.text} />
    <p class="under">
      <span>
        <Line text={[item.senderName, item.senderEmail].filter((text) => text !== null).join(", ")} />
      </span>
      <Ago at={item.createdAt} now={now} />
    </p>
    <form method="post" action={action}>
      <IdempotencyField />
      <button class="small" type="submit">
        Show this in the inbox
      </button>
    </form>
  </li>
);

async function unblockSender({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"unblocked">> {
  const params = { blockedSenderId: param("blockedSenderId") };
  await ask(blockedSenders.remove, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.blocked(param("appId")), "unblocked");
}

async function releaseHidden({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"shown-again">> {
  const params = { hiddenId: param("hiddenId") };
  const { threadId } = await ask(blockedSenders.release, {
    params,
    body: {},
    idempotencyKey: fields.idempotencyKey,
  });
  return goTo(links.thread(param("appId"), threadId), "shown-again");
}

const blockedPage = definePage({
  at: (links) => links.blocked(":appId"),
  needs: "maintainer",
  show: showBlocked,
});

export const definitions: Definitions = [
  blockedPage,
  defineForm({
    at: (links) => links.blocked(":appId", ":blockedSenderId/unblock"),
    page: blockedPage,
    act: unblockSender,
    done: { unblocked: "The sender is unblocked. The hidden feedback is in the inbox." },
    word: "unblockSender",
    notDone: "The sender was not unblocked.",
  }),
  defineForm({
    at: (links) => links.blocked(":appId", "feedback/:hiddenId/release"),
    page: blockedPage,
    act: releaseHidden,
    done: { "shown-again": "The feedback is in the inbox now. Its sender stays blocked." },
    word: "showHidden",
    notDone: "The feedback was not moved to the inbox.",
  }),
];
