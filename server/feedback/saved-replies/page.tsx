import { type SavedReply, savedReplies } from "../../../src/contract/correspondence.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../../console/definitions.ts";
import {
  Confirmation,
  changedValues,
  type Filled,
  filledAgain,
  filledOver,
  filledWith,
  givenFor,
  IdempotencyField,
  OriginalValues,
  TextArea,
  TextField,
} from "../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage } from "../../console/layout.tsx";
import { changed, type NotDone } from "../../console/notices.ts";
import { Can, Empty, Line, Refused, UserText } from "../../console/parts.tsx";
import { goTo, InTurns, type Reply, reshowForm, show } from "../../console/respond.tsx";
import { replyFrom, withStatusUrl } from "./rules.ts";

function createSavedReply(visit: SignedInVisit): Promise<Reply<"reply-saved">> {
  const { ask, fields, links, param } = visit;
  const params = { appId: param("appId") };
  return reshowForm(
    async () => {
      const body = { title: fields.text("title"), body: fields.text("body") };
      await ask(savedReplies.create, { params, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.savedReplies(params.appId), "reply-saved");
    },
    (refusal) => showSavedReplies(visit, { form: filledAgain(fields, refusal) }),
  );
}

function updateSavedReply(visit: SignedInVisit): Promise<Reply<"changed">> {
  const { ask, fields, links, param } = visit;
  const [appId, savedReplyId] = [param("appId"), param("savedReplyId")];
  return reshowForm(
    async () => {
      const { items } = await ask(savedReplies.list, { params: { appId } });
      const reply = items.find(({ id }) => id === savedReplyId);
      if (!reply) throw new ApiError("not_found");
      const current = { title: reply.title, body: reply.body };
      const body = changedValues(fields, givenFor(fields, current), current);
      const asked = { params: { savedReplyId }, body, idempotencyKey: fields.idempotencyKey };
      await ask(savedReplies.update, asked);
      return goTo(links.savedReplies(appId), "changed");
    },
    (refusal) => showSavedReplies(visit, { form: filledAgain(fields, refusal), replyId: savedReplyId }),
  );
}

async function deleteSavedReply({
  ask,
  fields,
  links,
  param,
}: SignedInVisit): Promise<Reply<"saved-reply-deleted">> {
  const params = { savedReplyId: param("savedReplyId") };
  await ask(savedReplies.remove, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.savedReplies(param("appId")), "saved-reply-deleted");
}

/** A form with an error. Without `replyId`, it is the form for a new reply. */
interface RefusedReply {
  readonly form: Filled;
  readonly replyId?: string;
}

async function showSavedReplies(visit: SignedInVisit, refused?: RefusedReply): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "inbox");
  const { items } = await visit.ask(savedReplies.list, { params: { appId: navigation.app.id } });
  return show(<SavedReplies {...{ navigation, refused }} replies={items} />, refused?.form.refusal?.status);
}

const SavedReplies = ({
  navigation,
  replies,
  refused,
}: {
  readonly navigation: AppNavigation;
  readonly replies: readonly SavedReply[];
  readonly refused: RefusedReply | undefined;
}) => {
  const { app, links } = navigation;
  return (
    <ConsolePage navigation={navigation} title="Saved replies" narrow>
      <div class="head">
        <div>
          <h1>Saved replies</h1>
          <p>
            Save texts that your team sends often. You can insert them into a reply and change them there.
          </p>
        </div>
      </div>
      <div class="stack wide">
        {replies.length === 0 ? (
          <Empty title="No saved replies yet">
            <p>Save the answers that your team often types.</p>
          </Empty>
        ) : (
          <ul class="list">
            <InTurns>
              {replies.map((reply) => (
                <ReplyLine
                  key={reply.id}
                  {...{ reply, app }}
                  at={(part) => links.savedReply(app.id, reply.id, part)}
                  form={refused?.replyId === reply.id ? refused.form : undefined}
                />
              ))}
            </InTurns>
          </ul>
        )}
        <Can needs="maintainer">
          <NewReply
            action={links.savedReplies(app.id)}
            form={refused?.replyId === undefined ? refused?.form : undefined}
          />
        </Can>
      </div>
    </ConsolePage>
  );
};

const ReplyLine = ({
  reply,
  app,
  at,
  form,
}: {
  readonly reply: SavedReply;
  readonly app: AppNavigation["app"];
  readonly at: (part: string) => string;
  readonly form: Filled | undefined;
}) => {
  const current = { title: reply.title, body: reply.body };
  const shown = filledOver(form, current);
  const facts = { name: "Ada", app: app.name, hasPage: app.senderPages };
  return (
    <li>
      <b>
        <Line text={reply.title} />
      </b>
      <p class="hint">Preview for a sender with the name Ada:</p>
      <UserText text={withStatusUrl(replyFrom(reply.body, facts), "https://…")} />
      <Can needs="maintainer">
        <details class="reveal" open={form !== undefined}>
          <summary>
            Change<span class="unseen">{` ${reply.title}`}</span>
          </summary>
          <form class="stack" method="post" action={at("change")} data-guards>
            <Refused refusal={shown.refusal} />
            <IdempotencyField />
            <OriginalValues current={current} form={shown} />
            <ReplyFields form={shown} part={reply.id} />
            <div class="actions">
              <button type="submit">Save</button>
            </div>
          </form>
        </details>
        <Confirmation offer="Delete" action={at("delete")} button="Delete the saved reply" danger>
          Replies that were already sent are not deleted.
        </Confirmation>
      </Can>
    </li>
  );
};

const NewReply = ({ action, form }: { readonly action: string; readonly form: Filled | undefined }) => (
  <section class="stack" aria-labelledby="new-reply">
    <h2 id="new-reply">New saved reply</h2>
    <form class="card stack" method="post" action={action} data-guards>
      <Refused refusal={form?.refusal} />
      <IdempotencyField />
      <ReplyFields form={form ?? filledWith()} part="new" />
      <div class="actions">
        <button class="primary" type="submit">
          Save the reply
        </button>
      </div>
    </form>
  </section>
);

const ReplyFields = ({ form, part }: { readonly form: Filled; readonly part: string }) => (
  <>
    <TextField form={form} name="title" label="Title" part={part} required />
    <TextArea
      form={form}
      name="body"
      label="Text"
      part={part}
      hint="{name} becomes the name of the sender. {app} becomes the name of the app. {statusUrl} becomes the link to the sender's own page."
      required
    />
  </>
);

const savedRepliesPage = definePage({
  at: (links) => links.savedReplies(":appId"),
  needs: "viewer",
  show: showSavedReplies,
});

const replyNotSaved: NotDone = { word: "saveReply", notDone: "The saved reply was not saved." };

export const definitions: Definitions = [
  savedRepliesPage,
  defineForm({
    at: (links) => links.savedReplies(":appId"),
    page: savedRepliesPage,
    act: createSavedReply,
    done: { "reply-saved": "The reply is saved." },
    ...replyNotSaved,
  }),
  defineForm({
    at: (links) => links.savedReply(":appId", ":savedReplyId", "change"),
    page: savedRepliesPage,
    act: updateSavedReply,
    done: changed,
    ...replyNotSaved,
  }),
  defineForm({
    at: (links) => links.savedReply(":appId", ":savedReplyId", "delete"),
    page: savedRepliesPage,
    act: deleteSavedReply,
    done: { "saved-reply-deleted": "The saved reply is deleted." },
    word: "deleteReply",
    notDone: "The saved reply was not deleted.",
  }),
];
