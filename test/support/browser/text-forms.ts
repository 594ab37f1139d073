import type { Page } from "playwright-core";
import type { Service } from "../service/service.ts";
import type { OwnerWithOneOfEach } from "../worlds/owner-with-one-of-each.ts";
import { propose, sendFeedback } from "../worlds/owner-with-one-of-each.ts";

/** A form of the console into which a person types. */
export interface TextForm {
  readonly name: string;
  /** Creates the object of the form, and returns the path of the page. */
  readonly open: () => Promise<string>;
  /** The address of the form: the part after the path of its page, or a complete path. */
  readonly action: string;
  readonly button: string;
  /** Its fields, if it is only a part of a form. */
  readonly fields?: RegExp;
  /** The message of the page if the action failed. */
  readonly notDone: string;
  /** Makes the choices that the fields need to be visible. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** Does the same in another tab, so that the form causes a conflict. */
  readonly conflict?: (path: string) => Promise<unknown>;
  /** Sends another form of the page. */
  readonly other?: (page: Page) => Promise<void>;
  /** Whether it has a file, so that it cannot be kept while the person signs in. */
  readonly hasFile?: boolean;
  /** A value of the first field that the server refuses. Default: a text above the limit. */
  readonly wrong?: string;
}

const addNote = async (page: Page) => {
  await page.getByRole("radio", { name: "Note" }).check();
  await page.getByLabel("Internal note", { exact: true }).fill("Another part.");
  await page.getByRole("button", { name: "Add note" }).click();
  await page.getByText("The note was added to the thread.").waitFor();
};

const saveStatus = async (page: Page) => {
  await page.getByLabel("Status").selectOption("in_progress");
  await page.getByText("Status: In progress.").first().waitFor();
};

/** The fields of the side column are sent with a note, but not with this form. */
const assignToMe = async (page: Page) => {
  await page.getByRole("button", { name: "Assign to me" }).click();
  await page.getByText("You are the assignee of this thread now.").waitFor();
};

/** Every form of the console with text, as the owner of an app sees it. */
export function textForms(service: Service, world: OwnerWithOneOfEach): TextForm[] {
  return [
    ...threadForms(service, world),
    ...triageForms(world),
    ...contentForms(world),
    ...testingForms(world),
    ...appForms(world),
  ];
}

const idIn = (path: string): string => path.split("/").at(-1) ?? "";

function threadForms(service: Service, { owner, app, call }: OwnerWithOneOfEach): TextForm[] {
  const newThread = async () => {
    const id = await sendFeedback(service, app.key);
    // Each token may propose a number of plans an hour.
    const runId = await propose(service, await service.makeToken(owner, "agent"), id);
    return { path: `/console/feedback/${app.id}/${id}`, runId };
  };
  const open = async () => (await newThread()).path;
  const decide = (runId: string) =>
    call("POST", `/runs/${runId}/decision`, { decision: "approve", note: "" });
  const edit = { action: "/edit", open };
  return [
    {
      ...{ ...edit, name: "a decision", fields: /^note$/, button: "Approve this plan", other: saveStatus },
      notDone: "Your decision was not recorded.",
      conflict: async (path) => {
        const { body } = await call("GET", `/feedback/${idIn(path)}`);
        await decide(/"latestProposal":\{"id":"([^"]+)"/.exec(JSON.stringify(body))?.[1] ?? "");
      },
    },
    {
      ...{ ...edit, name: "a note", fields: /^noteBody$/, button: "Add note", other: saveStatus },
      prepare: (page) => page.getByRole("radio", { name: "Note" }).check(),
      notDone: "Your note or reply was not added.",
    },
    {
      ...{ ...edit, name: "a reply", fields: /^replyBody$/, button: "Send reply", other: addNote },
      notDone: "Your note or reply was not added.",
    },
    {
      ...{
        ...edit,
        name: "the facts of a thread",
        fields: /^(subject|githubIssueUrl|addTags)$/,
        other: assignToMe,
      },
      button: "Save",
      notDone: "Your changes were not saved.",
      conflict: (path) => call("PATCH", `/feedback/${idIn(path)}`, { subject: "Theirs" }),
    },
    {
      ...{ ...edit, name: "a recall", fields: /^recallNote:/, button: "Recall", other: addNote },
      notDone: "The approval was not recalled.",
      open: async () => {
        const { path, runId } = await newThread();
        await decide(runId);
        return path;
      },
    },
  ];
}

function triageForms({ app, tagId, savedReplyId, call }: OwnerWithOneOfEach): TextForm[] {
  const [replies, tags] = [`/console/saved-replies/${app.id}`, `/console/tags/${app.id}`];
  return [
    {
      ...{ name: "a new saved reply", action: "", open: async () => replies, button: "Save the reply" },
      notDone: "The saved reply was not saved.",
    },
    {
      ...{ name: "a saved reply", action: `/${savedReplyId}/change`, open: async () => replies },
      ...{ button: "Save", notDone: "The saved reply was not saved." },
      conflict: () => call("PATCH", `/saved-replies/${savedReplyId}`, { title: `Theirs ${Math.random()}` }),
    },
    {
      ...{ name: "a new tag", action: "", open: async () => tags, button: "Create tag" },
      notDone: "The tag was not saved.",
    },
    {
      ...{ name: "a tag", action: `/${tagId}/change`, open: async () => tags, button: "Save" },
      notDone: "The tag was not saved.",
    },
  ];
}

function contentForms({ app, faqId, entryId, call }: OwnerWithOneOfEach): TextForm[] {
  const faqs = `/console/faqs/${app.id}`;
  const notes = `/console/changelog/${app.id}`;
  const here = { action: "" };
  const asList = async (page: Page) => page.getByText("List of changes").click();
  return [
    {
      ...here,
      name: "a new entry of the FAQ",
      open: async () => `${faqs}/new`,
      button: "Add to the FAQ",
      notDone: "The entry was not added.",
    },
    {
      ...{ ...here, name: "an entry of the FAQ", open: async () => `${faqs}/${faqId}`, button: "Save" },
      notDone: "Your changes were not saved.",
      conflict: (path) => call("PATCH", `/faqs/${idIn(path)}`, { question: `Theirs ${Math.random()}` }),
    },
    {
      ...here,
      name: "a new release note",
      open: async () => `${notes}/new`,
      button: "Save draft",
      notDone: "The release note was not saved.",
    },
    {
      ...{ ...here, name: "a release note", open: async () => `${notes}/${entryId}`, button: "Save draft" },
      notDone: "The release note was not saved.",
      conflict: (path) => call("PATCH", `/changelog/${idIn(path)}`, { title: `Theirs ${Math.random()}` }),
    },
    {
      ...{ ...here, name: "a list of changes", open: async () => `${notes}/new`, button: "Save draft" },
      ...{ notDone: "The release note was not saved.", fields: /^items\./, prepare: asList },
    },
  ];
}

function testingForms({ app, listingId, cycleId, call }: OwnerWithOneOfEach): TextForm[] {
  const testing = `/console/testing/${app.id}`;
  return [
    {
      name: "a new listing",
      action: "",
      open: async () => `${testing}/new`,
      button: "Create listing",
      notDone: "The listing was not created.",
    },
    {
      ...{ name: "a listing", action: "", open: async () => `${testing}/${listingId}`, button: "Save" },
      notDone: "Your changes were not saved.",
      conflict: (path) => call("PATCH", `/listings/${idIn(path)}`, { testBrief: `Theirs ${Math.random()}` }),
    },
    {
      ...{
        name: "a cycle",
        action: "/cycles",
        open: async () => `${testing}/${listingId}`,
        button: "Plan the cycle",
      },
      ...{ notDone: "The cycle was not planned.", wrong: "2001-02-03" },
    },
    {
      ...{ name: "a slot", action: "/assign", open: async () => `/console/cycles/${app.id}/${cycleId}` },
      ...{ button: "Assign slot", notDone: "The slot was not assigned to the tester." },
    },
  ];
}

function appForms({ app, call }: OwnerWithOneOfEach): TextForm[] {
  const settings = `/console/apps/${app.id}`;
  const makeKey = async (page: Page) => {
    await page.getByRole("button", { name: "Create key" }).click();
    await page.locator("#secret").waitFor();
  };
  /** The first steps with a new app that has one report. */
  const reportedApp = async () => {
    const made = await call("POST", "/apps", { name: "Pantry" });
    await call("POST", `/apps/${made.field("id")}/start/test-report`);
    return `/console/start/${made.field("id")}`;
  };
  const saveApp = async (page: Page) => {
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The changes are saved.").waitFor();
  };
  return [
    {
      name: "a new app",
      action: "",
      open: async () => "/console/new-app",
      button: "Create app",
      notDone: "The app was not created.",
    },
    {
      ...{ name: "a first app", action: "", open: async () => "/console/start" },
      ...{ button: "Create the app and its key", notDone: "No app was created." },
    },
    {
      ...{ name: "a first answer", action: "/answer", open: reportedApp, button: "Send the answer" },
      notDone: "The answer was not sent.",
    },
    {
      ...{ name: "an app", action: "", open: async () => settings, button: "Save", other: makeKey },
      notDone: "Your changes were not saved.",
      conflict: () => call("PATCH", `/apps/${app.id}`, { name: `Theirs ${Math.random()}` }),
    },
    {
      name: "a key",
      action: "/keys",
      open: async () => settings,
      button: "Create key",
      notDone: "No key was created.",
      other: saveApp,
    },
    {
      ...{ name: "a token", action: "", open: async () => "/console/tokens", button: "Create token" },
      notDone: "No token was created.",
    },
    {
      ...{ name: "an app out of a file", action: "", open: async () => "/console/import", hasFile: true },
      ...{ button: "Import", notDone: "The app was not imported." },
    },
    {
      ...{ name: "a name", action: "/name", open: async () => "/console/account", button: "Save name" },
      ...{ notDone: "Your name was not saved.", wrong: "a@b" },
    },
    {
      ...{ name: "the end of an account", action: "/delete", open: async () => "/console/account" },
      ...{ button: "Delete the account permanently", notDone: "Your account was not deleted." },
    },
    {
      name: "an invitation",
      action: "/invitations",
      open: async () => `/console/members/${app.id}`,
      button: "Invite",
      notDone: "The invitation was not created.",
    },
  ];
}
