/** What a person wanted to do with a form, and how a page says that it was not done. */
const acts = {
  decide: "Your decision was not taken.",
  recall: "The approval was not recalled.",
  release: "The claim was not released.",
  addMessage: "Your note or reply was not added.",
  change: "Your changes were not saved.",
  renewLink: "No new link was made.",
  markUnread: "The thread was not marked as unread.",
  markAllRead: "Nothing was marked as read.",
  hideChanges: "Nothing was changed.",
  deleteThread: "The thread was not deleted.",
  assign: "The thread was not assigned to you.",
  removeTag: "The tag was not removed from the thread.",
  insertReply: "The saved reply was not inserted.",
  blockSender: "The sender was not blocked.",
  unblockSender: "The sender was not unblocked.",
  takeMail: "The mail was not added to its thread.",
  showHidden: "The feedback was not shown.",
  saveReply: "The saved reply was not saved.",
  deleteReply: "The saved reply was not deleted.",
  saveTag: "The tag was not saved.",
  mergeTags: "The tags were not merged.",
  deleteTag: "The tag was not deleted.",
  createFaq: "The entry was not added.",
  orderFaqs: "The order was not changed.",
  deleteFaq: "The entry was not deleted.",
  saveNote: "The release note was not saved.",
  deleteNote: "The release note was not deleted.",
  createListing: "The listing was not created.",
  planCycle: "The cycle was not planned.",
  cancelCycle: "The cycle was not cancelled.",
  giveSlot: "The slot was not given to the tester.",
  declineRequest: "The request was not declined.",
  removeTester: "The tester was not removed.",
  rotateKey: "The test key was not replaced.",
  confirmJoin: "The tester was not confirmed.",
  invite: "The invitation was not made.",
  withdrawInvitation: "The invitation was not withdrawn.",
  changeRole: "The role was not changed.",
  removeMember: "The member was not removed.",
  join: "You have not joined the app.",
  createApp: "The app was not created.",
  importApp: "The app was not imported.",
  deleteApp: "The app was not deleted.",
  makeKey: "No key was made.",
  revokeKey: "The key was not revoked.",
  makeToken: "No token was made.",
  revokeToken: "The token was not revoked.",
  rotateToken: "The token keeps its secret.",
  findPerson: "No search was made.",
  erasePerson: "The person was not erased.",
  checkReceipt: "The receipt was not checked.",
  signDeviceOut: "The device was not signed out.",
  endSession: "No session was ended.",
  deleteAccount: "Your account was not deleted.",
  changePassword: "Your password was not changed.",
  changeSecondFactor: "Your second factor was not changed.",
  signOut: "You were already signed out.",
  discardDraft: "The text was not discarded.",
} as const;

export type Act = keyof typeof acts;

/** Says that an act was not done. */
export const notDone = (act: Act): string => acts[act];

/** The word for the notice that an act was not done because the session had ended. */
export const notDoneWord = (act: Act): string => `not-done-${act}`;

/** The notices after a sign-in, by their words. */
export const notDoneNotices: readonly (readonly [word: string, notice: string])[] = Object.entries(acts).map(
  ([act, words]) => [`not-done-${act}`, `Your session had ended. ${words} Do it again if you still want it.`],
);

/** The act with this name; undefined for any other text. */
export const actOf = (name: string): Act | undefined => (isAct(name) ? name : undefined);

const isAct = (name: string): name is Act => Object.hasOwn(acts, name);
