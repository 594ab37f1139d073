/** The state of a release note: draft, scheduled or published. */
export const PublicationBadge = ({
  publishedAt,
  now,
}: {
  readonly publishedAt: string | null;
  readonly now: Date;
}) => {
  if (publishedAt === null) return <span class="badge">Draft</span>;
  if (Date.parse(publishedAt) > now.getTime()) return <span class="badge attention">Scheduled</span>;
  return <span class="badge good">Published</span>;
};
