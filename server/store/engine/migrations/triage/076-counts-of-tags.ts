/** How many threads have a tag. The triggers keep the number, because the inbox shows all tags, and a tag may be on very many threads. */
const statements = [
  `ALTER TABLE tags ADD COLUMN threads BIGINT NOT NULL DEFAULT 0`,
  `UPDATE tags SET threads = (SELECT count(*) FROM thread_tags x WHERE x.tag_id = tags.id)`,
];

// On PostgreSQL once for a statement, and in one order: a merge of tags gives many threads a tag.
const counted = (sign: "+" | "-") => `UPDATE tags SET threads = threads ${sign} c.number
  FROM (SELECT tag_id, count(*) AS number FROM changed GROUP BY tag_id) AS c WHERE tags.id = c.tag_id`;

const counter = (name: string, sign: "+" | "-") =>
  `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS '
   BEGIN
     ${counted(sign)};
     RETURN NULL;
   END'`;

export const countsOfTags = {
  number: 76,
  name: "counts-of-tags",
  statements: {
    sqlite: [
      ...statements,
      `CREATE TRIGGER tags_counted_up AFTER INSERT ON thread_tags BEGIN
         UPDATE tags SET threads = threads + 1 WHERE id = NEW.tag_id; END`,
      `CREATE TRIGGER tags_counted_down AFTER DELETE ON thread_tags BEGIN
         UPDATE tags SET threads = threads - 1 WHERE id = OLD.tag_id; END`,
    ],
    postgres: [
      ...statements,
      counter("count_tags_up", "+"),
      counter("count_tags_down", "-"),
      `CREATE TRIGGER tags_counted_up AFTER INSERT ON thread_tags REFERENCING NEW TABLE AS changed
       FOR EACH STATEMENT EXECUTE FUNCTION count_tags_up()`,
      `CREATE TRIGGER tags_counted_down AFTER DELETE ON thread_tags REFERENCING OLD TABLE AS changed
       FOR EACH STATEMENT EXECUTE FUNCTION count_tags_down()`,
    ],
  },
};
