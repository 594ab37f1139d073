#!/bin/sh
# INNKEEP_BASE_URL, INNKEEP_AGENT_TOKEN
for a in '*/*' 'application/*'; do
  curl -s -o /dev/null -w "$a %{http_code}\n" -X POST "$INNKEEP_BASE_URL/mcp" -H 'content-type: application/json' -H "accept: $a" -H "authorization: Bearer $INNKEEP_AGENT_TOKEN" -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
done
