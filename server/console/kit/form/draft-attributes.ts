/**
 * Attributes of a form for longer text. The script warns before the page is left, and keeps a draft of the text under
 * `name` on this device. A form with a secret must not have them.
 */
export const draftAttributes = (name: string, { sent = false }: { readonly sent?: boolean }) => ({
  "data-guards": true,
  "data-drafts": name,
  "data-echo": sent || undefined,
});
