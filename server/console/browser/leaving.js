// Remembers that the browser is about to open another page, because a form was sent or a link was clicked.

const leaveMilliseconds = 3_000;
let leftAt = Number.NEGATIVE_INFINITY;

/** Whether the browser is opening another page. */
export const isLeaving = () => performance.now() - leftAt < leaveMilliseconds;

/** Whether `at`, a time that the previous page stored, is less than three seconds ago. */
export const isJustLeft = (at) => Date.now() - at < leaveMilliseconds;

addEventListener("submit", (event) => {
  if (!event.defaultPrevented) leftAt = performance.now();
});
addEventListener("click", (event) => {
  const link = /** @type {any} */ (event.target).closest?.("a[href]");
  const isElsewhere = event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey;
  if (
    link &&
    !isElsewhere &&
    !link.target &&
    !link.hasAttribute("download") &&
    new URL(link.href).pathname + new URL(link.href).search !== location.pathname + location.search
  )
    leftAt = performance.now();
});
