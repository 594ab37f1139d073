import type { Filled } from "../console/forms.tsx";
import { ConsolePage } from "../console/layout.tsx";
import { appNavigationOf, navigationOf } from "../console/navigation.ts";
import { type Reply, show } from "../console/reply.ts";
import { Line } from "../console/text.tsx";
import type { SignedInVisit } from "../console/visit.ts";
import { ImportForm } from "./import-form.tsx";

/** All of an app as a file. */
export async function dataPage(visit: SignedInVisit): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "settings", "owner");
  const { app, links } = navigation;
  return show(
    <ConsolePage navigation={navigation} title="Data" narrow>
      <div class="head">
        <div>
          <h1>Data</h1>
          <p>
            Everything of <Line text={app.name} /> as a file, to keep or to move to another server.
          </p>
        </div>
      </div>
      <div class="stack wide">
        <section class="card stack" aria-labelledby="export">
          <h2 id="export">Download</h2>
          <p>
            The file holds all feedback, replies, proposals, the FAQ, the release notes, the tests, the audit
            and the members, with the addresses of all these people. It holds no keys and no passwords. Keep
            it safe.
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

export const importPage = (visit: SignedInVisit): Promise<Reply> => showImport(visit);

/** The form for a new app out of a file, and what was wrong with the last one. */
export async function showImport(visit: SignedInVisit, form?: Filled): Promise<Reply> {
  const navigation = await navigationOf(visit);
  return show(
    <ConsolePage navigation={navigation} title="Import an app" narrow>
      <div class="head">
        <div>
          <h1>Import an app</h1>
          <p>A file of this server or of another one becomes a new app, of which you are the only owner.</p>
        </div>
      </div>
      <div class="card stack">
        <ImportForm action={navigation.links.importApp} form={form} />
      </div>
    </ConsolePage>,
    form?.refusal?.status,
  );
}
