/** The part beside a thread that leads to the similar ones. If a person opens it, the script shows them in it. */
export const SimilarLink = ({ address }: { readonly address: string }) => (
  <details class="reveal" data-fetches={address} data-part="similar-threads">
    <summary>Similar threads</summary>
    <p>
      <a href={address}>Find threads with the same rare words</a>
    </p>
  </details>
);
