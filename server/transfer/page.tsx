import { appData } from "../../src/contract/app-data.ts";
import type { ApiError } from "../../src/contract/errors.ts";
import { type Definitions, definePage, defineUploadForm } from "../console/definitions.ts";
import { type Filled, filledAgain, filledWith, IdempotencyField, TextField } from "../console/forms.tsx";
import { ConsolePage } from "../console/layout.tsx";
import { appNavigationOf, navigationOf } from "../console/navigation.ts";
import { Line, Notice, Refused } from "../console/parts.tsx";
import { goTo, type Reply, reshowForm, show } from "../console/respond.ts";
import type { SignedInVisit, UploadVisit } from "../console/visit.ts";

/** Creates a new app from the file that was sent. */
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

/** Shows the page on which a person exports all data of an app. */
async function showData(visit: SignedInVisit): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "settings");
  const { app, links } = navigation;
  return show(
    <ConsolePage navigation={navigation} title="Data" narrow>
      <div class="head">
        <div>
          <h1>Data</h1>
          <p>
            Everything of <Line text={app.name} /> as a file, to store it or to move it to another server.
          </p>
        </div>
      </div>
      <div class="stack wide">
        <section class="card stack" aria-labelledby="export">
          <h2 id="export">Download</h2>
          <p>
            The file contains all feedback, replies, proposals, the FAQ, the release notes, the tests, the
            audit and the members, with the addresses of all these people. It contains no keys and no
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

/** Shows the form that imports a file, with the faults of the last file. */
async function showImport(visit: SignedInVisit, form?: Filled): Promise<Reply> {
  const navigation = await navigationOf(visit);
  return show(
    <ConsolePage navigation={navigation} title="Import an app" narrow>
      <div class="head">
        <div>
          <h1>Import an app</h1>
          <p>From a file of this server or of another one, a new app is created. You are its only owner.</p>
        </div>
      </div>
      <div class="card stack">
        <ImportForm action={navigation.links.importApp} form={form} />
      </div>
    </ConsolePage>,
    form?.refusal?.status,
  );
}

/** The form that uploads an export. */
const ImportForm = ({ action, form }: { readonly action: string; readonly form?: Filled | undefined }) => (
  <form class="stack" method="post" action={action} enctype="multipart/form-data">
    <Faults refusal={form?.refusal} />
    <p>
      Import only files that you trust. If the file says that a team member wrote a message, it counts as a
      message of your team, and agents read it. An import makes nobody a member, and approvals and tests do
      not continue.
    </p>
    <IdempotencyField />
    <TextField
      form={form ?? filledWith()}
      name="name"
      label="Name"
      hint="Leave it empty for the name in the file."
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
    done: { "app-imported": "The app is imported. Invite its members, and create new keys." },
    word: "importApp",
    notDone: "The app was not imported.",
  }),
];
