/** The parts of the text with which a person names threads: ids in lower case, numbers, and words that are neither. */
interface TypedThreads {
  readonly ids: readonly string[];
  readonly numbers: readonly number[];
  readonly unknown: readonly string[];
}

/** Reads `#12, 13`, ids of threads and addresses of threads in the console. (rule C32) */
export function typedThreads(text: string): TypedThreads {
  const words = [...new Set(text.split(/[\s,;]+/).filter((word) => word !== ""))];
  const numbers = words.flatMap((word) => {
    const [, digits] = /^(?:#|https?:\/\/\S+\/t\/[\da-f-]{36}\/)?([1-9]\d{0,8})$/i.exec(word) ?? [];
    return digits === undefined ? [] : [{ word, number: Number(digits) }];
  });
  const ids = words.flatMap((word) => {
    const [, id] =
      /^(?:https?:\/\/\S+\/feedback\/[\da-f-]{36}\/)?([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:[?#].*)?$/i.exec(
        word,
      ) ?? [];
    return id === undefined ? [] : [{ word, id: id.toLowerCase() }];
  });
  const read = new Set([...numbers, ...ids].map(({ word }) => word));
  return {
    ids: [...new Set(ids.map(({ id }) => id))],
    numbers: [...new Set(numbers.map(({ number }) => number))],
    unknown: words.filter((word) => !read.has(word)),
  };
}

/**
 * Shortens an address for a list of receivers, so that members can recognise the person but cannot write to the
 * address.
 */
export const maskedAddress = (address: string): string => {
  const at = address.lastIndexOf("@");
  const name = [...address.slice(0, at)];
  const shown = name.slice(0, name.length > 3 ? 2 : 1).join("");
  return `${shown}…${address.slice(at)}`;
};
