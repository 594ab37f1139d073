/** How many streams may be open at a server: of one token, and of all. */
const most = { ofToken: 20, ofAll: 1_000 } as const;

/** Counts the open streams of a server. */
export interface OpenStreams {
  /** Counts one more and gives the function that ends it, or says in words why there is no room. */
  enter(tokenId: string): (() => void) | string;
}

export function createOpenStreams(): OpenStreams {
  const ofToken = new Map<string, number>();
  let all = 0;

  const change = (tokenId: string, by: number): void => {
    all += by;
    const count = (ofToken.get(tokenId) ?? 0) + by;
    if (count > 0) ofToken.set(tokenId, count);
    else ofToken.delete(tokenId);
  };

  return {
    enter(tokenId) {
      if ((ofToken.get(tokenId) ?? 0) >= most.ofToken)
        return `This connection has ${most.ofToken} open streams. Close one, or follow several resources in one stream.`;
      if (all >= most.ofAll) return "The server has too many open streams. Try again in a minute.";
      change(tokenId, 1);
      let open = true;
      return () => {
        if (open) change(tokenId, -1);
        open = false;
      };
    },
  };
}
