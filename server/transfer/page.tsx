import { appData } from "../../src/contract/app-data.ts";
import type { ApiError } from "../../src/contract/errors.ts";
import {
  type Definitions,
  definePage,
  defineUploadForm,
  type SignedInVisit,
  type UploadVisit,
} from "../console/definitions.ts";
import { type Filled, filledAgain, filledWith, IdempotencyField, TextField } from "../console/forms.tsx";
import { appNavigationOf, ConsolePage, navigationOf } from "../console/layout.tsx";
import { Line, Notice, Refused } from "../console/parts.tsx";
import { goTo, type Reply, reshowForm, show } from "../console/respond.tsx";

function importApp(visit: UploadVisit): Promise<Reply<"app-imported">> {
  const { ask, fields, links, body } = visit;
  return reshowForm(
    async () => {
      const { appId } = await ask(appData.import, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.app(appId), "app-imported");
    },
    (refusal) => showImport(visit, filledAgain(fields, refusal)),
  );
}

async function showData(visit: SignedInVisit): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "settings");
  const { app, links } = navigation;
  return show(
    <ConsolePage navigation={navigation} title="Data" narrow>
      <div class="head">
        <div>
          <h1>Data</h1>
          <p>
            Download all data of <Line text={app.name} /> as a file. Store the file, or use it to move the app
            to another server.
          </p>
        </div>
      </div>
      <div class="stack wide">
        <section class="card stack" aria-labelledby="export">
          <h2 id="export">Download</h2>
          <p>
            The file contains all feedback, replies, proposals, the FAQ, the release notes, the tests, the
            audit log and the members, including the e-mail addresses of people. It contains no keys and no
            passwords. Store the file in a safe place.
          </p>
          <div class="actions">
            <a class="button" href={`${links.data(app.id, "download")}?files=1`} download>
              Download with files
            </a>
            <a class="button" href={links.data(app.id, "download")} download>
              Download without files
            </a>
          </div>
        </section>
        <section class="card stack" aria-labelledby="import">
          <h2 id="import">Import</h2>
          <ImportForm action={links.importApp} />
        </section>
      </div>
    </ConsolePage>,
  );
}

/** Shows the form that imports a file. If the last file was refused, also shows its faults. */
async function showImport(visit: SignedInVisit, form?: Filled): Promise<Reply> {
  const navigation = await navigationOf(visit);
  return show(
    <ConsolePage navigation={navigation} title="Import an app" narrow>
      <div class="head">
        <div>
          <h1>Import an app</h1>
          <p>Create a new app from a file of this or another server. You become its only owner.</p>
        </div>
      </div>
      <div class="card stack">
        <ImportForm action={navigation.links.importApp} form={form} />
      </div>
    </ConsolePage>,
    form?.refusal?.status,
  );
}

const ImportForm = ({ action, form }: { readonly action: string; readonly form?: Filled | undefined }) => (
  <form class="stack" method="post" action={action} enctype="multipart/form-data">
    <Faults refusal={form?.refusal} />
    <p>
      Import only files that you trust. If the file says that a team member wrote a message, the message
      counts as written by your team, and agents read it. An import makes nobody a member. Approvals and tests
      from the file do not continue.
    </p>
    <IdempotencyField />
    <TextField
      form={form ?? filledWith()}
      name="name"
      label="Name"
      hint="Leave this empty to use the name in the file."
    />
    <div class="field">
      <label for="field-file">File</label>
      <input type="file" id="field-file" name="file" accept=".ndjson,.tar" required />
    </div>
    <div class="actions">
      <button class="primary" type="submit">
        Import
      </button>
    </div>
  </form>
);

const Faults = ({ refusal }: { readonly refusal: ApiError | undefined }) => {
  const faults = refusal?.details.issues?.filter(({ path }) => path.split(".")[0] === "file") ?? [];
  if (faults.length === 0) return <Refused refusal={refusal} />;
  return (
    <Notice kind="alert">
      <b>Nothing was imported.</b> The file has these faults:
      <ul>
        {faults.map(({ message }) => (
          <li key={message}>
            <Line text={message} />
          </li>
        ))}
      </ul>
    </Notice>
  );
};

const importPage = definePage({
  at: (links) => links.importApp,
  needs: "account",
  show: showImport,
});

const dataPage = definePage({
  at: (links) => links.data(":appId"),
  needs: "owner",
  show: showData,
});

export const definitions: Definitions = [
  importPage,
  dataPage,
  defineUploadForm({
    at: (links) => links.importApp,
    page: importPage,
    body: appData.import,
    act: importApp,
    done: { "app-imported": "The app was imported. Invite its members and create new keys." },
    word: "importApp",
    notDone: "The app was not imported.",
  }),
];
