/**
 * What the last replacement of the whole FAQ set for an entry: the hash of its text, and its position. A client that keeps
 * the FAQ as files so knows which texts a person changed since.
 */
export const pushedFaqs = {
  number: 20,
  name: "pushed-faqs",
  statements: [
    `ALTER TABLE faqs ADD COLUMN pushed_hash TEXT`,
    `ALTER TABLE faqs ADD COLUMN pushed_sort_order INTEGER`,
  ],
};
