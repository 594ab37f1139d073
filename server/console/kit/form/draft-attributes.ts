/**
 * Attributes of a form in which somebody writes more than a line: scripts warn before it is left, and keep a draft of it
 * under `name` on this device. No form with a secret in it may have them.
 */
export const draftAttributes = (name: string, { sent = false }: { readonly sent?: boolean }) => ({
  "data-guards": true,
  "data-drafts": name,
  "data-echo": sent || undefined,
});
