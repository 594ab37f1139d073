import { agentList, ids, inbox, type Measured } from "./measured.ts";

const searches: readonly (readonly [name: string, text: string])[] = [
  ["a common word", "settings"],
  ["a beginning of a common word", "settin"],
  ["a beginning of 20,000 words", "innk"],
  ["a long beginning of 20,000 words", "innkeeping"],
  ["a beginning of few words", "innkeeping1999"],
  ["a rare word", "zanzibar"],
  ["a word of no thread", "giraffe"],
  ["a word of old threads", "legacy"],
  ["two common words", "settings account"],
  ["a common and a rare word", "settings zanzibar"],
  ["a common word and a beginning", "settings innkeeping1"],
  ["three words", "settings page saved"],
  ["a short word", "it"],
  ["a number", "17"],
  ["Japanese", "設定"],
  ["an address", "person77@example.org"],
];

export const searchReads: readonly Measured[] = searches.flatMap(([name, text]) => {
  const q = `q=${encodeURIComponent(text)}`;
  return [
    { name: `search, ${name}`, isSearch: true, ...inbox(q) },
    { name: `search in a small app, ${name}`, isSearch: true, ...inbox(q, ids.smallApp) },
    { name: `an agent's search, ${name}`, isSearch: true, ...agentList(q) },
    {
      name: `an agent's search for open questions, ${name}`,
      isSearch: true,
      ...agentList(`${q}&status=open&type=question`),
    },
  ];
});
